/* SPDX-License-Identifier: ISC */
#include "view.h"

#include "fixture.h"

#define HOST FIXTURE_WORKSPACE "[view]\nroot = host\n"

static size_t position(const struct fixture *f, const struct plan_op *op)
{
	assert_non_null(op);
	return (size_t)(op - f->plan.ops);
}

static bool is_mount(enum plan_op_kind kind)
{
	return kind == OP_BIND || kind == OP_RO_BIND || kind == OP_DEV_BIND || kind == OP_TMPFS || kind == OP_PROC || kind == OP_DEV;
}

/* What the path shows in the end: the last mount there that nothing above it covers later. */
static const struct plan_op *shown_at(const struct fixture *f, const char *path)
{
	for (size_t i = f->plan.ops_len; i-- > 0;)
		if (is_mount(f->plan.ops[i].kind) && text_path_is_within(path, f->plan.ops[i].dest))
			return &f->plan.ops[i];
	return NULL;
}

static void assert_refuses(const char *profile, const char *source, void (*change)(struct facts_source *), const char *detail)
{
	struct fixture f;

	fixture_open(&f, profile);
	if (change)
		change(fixture_source(&f, source));
	fixture_decide(&f);
	if (f.plan.reason != REASON_PROFILE || !strstr(f.plan.detail, detail))
		fail_msg("%s: %s, wanted: %s", plan_reason_name(f.plan.reason), f.plan.detail, detail);
	fixture_close(&f);
}

static void the_default_view_has_at_most_25_mounts(void **state)
{
	struct fixture f;
	size_t mounts = 0;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE, "make");
	for (size_t i = 0; i < f.plan.ops_len; i++)
		mounts += is_mount(f.plan.ops[i].kind);
	assert_in_range(mounts, 10, 25);
	fixture_close(&f);
}

static void only_workspace_also_and_private_directories_are_writable(void **state)
{
	static const char *const writable[] = { "/srv/build", "/srv/also", "/tmp", "/var/tmp", "/home/build" };
	static const char *const profiles[] = { "[workspace]\npath = /srv/build\nalso = /srv/also\n",
		"[workspace]\npath = /srv/build\nalso = /srv/also\n[view]\nroot = host\n" };

	(void)state;
	for (size_t p = 0; p < COUNT(profiles); p++) {
		struct fixture f;
		size_t binds = 0;

		fixture_run(&f, profiles[p], "make");
		for (size_t i = 0; i < f.plan.ops_len; i++) {
			bool is_known = false;

			if (f.plan.ops[i].kind != OP_BIND)
				continue;
			for (size_t j = 0; j < COUNT(writable); j++)
				is_known |= strcmp(writable[j], f.plan.ops[i].dest) == 0;
			if (!is_known)
				fail_msg("%s is writable", f.plan.ops[i].dest);
			binds++;
		}
		assert_int_equal(binds, COUNT(writable));
		fixture_close(&f);
	}
}

static void a_source_is_bound_by_its_descriptor_and_named_by_its_canonical_path(void **state)
{
	struct fixture f;
	const struct plan_op *op;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[view]\nread = /srv/data\n");
	free(fixture_source(&f, "/srv/data")->source.path);
	fixture_source(&f, "/srv/data")->source.path = strdup("/data2/real");
	fixture_decide(&f);
	op = fixture_op(&f, "/srv/data");
	assert_int_equal(op->kind, OP_RO_BIND);
	assert_int_equal(op->fd, fixture_source(&f, "/srv/data")->source.fd);
	assert_string_equal(op->source, "/data2/real");
	fixture_close(&f);
}

static void every_parent_of_a_mount_is_made_0755_before_it(void **state)
{
	struct fixture f;

	(void)state;
	fixture_run(&f, "[workspace]\npath = /a/b/c/d\n[view]\nread = /a/x/y\n", "make");
	for (size_t i = 0; i < f.plan.ops_len; i++) {
		const struct plan_op *op = &f.plan.ops[i];
		char parent[256];
		bool is_there = false;

		if (op->kind == OP_SYMLINK || op->kind == OP_SEAL)
			continue;
		snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(op->dest, '/') - op->dest), op->dest);
		if (op->kind == OP_DIR)
			assert_int_equal(op->mode, 0755);
		for (size_t j = 0; j < i; j++)
			is_there |= strcmp(f.plan.ops[j].dest, parent) == 0 || (f.plan.ops[j].kind == OP_RO_BIND && text_path_is_within(parent, f.plan.ops[j].dest));
		if (parent[0] && !is_there)
			fail_msg("%s: nobody made %s", op->dest, parent);
	}
	fixture_close(&f);
}

static void nothing_is_mounted_below_a_tree_the_account_can_write(void **state)
{
	static const char *const profiles[] = { "[workspace]\npath = /srv/build\nalso = /srv/also\n[view]\nread = /srv/data\nhide = /usr/share/doc\n",
		"[workspace]\npath = /home/build/work\n", "[workspace]\npath = /tmp/work\n", HOST, "[workspace]\npath = /home/build/work\n[view]\nroot = host\n",
		"[workspace]\npath = /srv/build\nhome = workspace\n", "[workspace]\npath = /srv/build\naccess = none\n" };

	(void)state;
	for (size_t p = 0; p < COUNT(profiles); p++) {
		struct fixture f;

		fixture_run(&f, profiles[p], "make");
		assert_int_equal(f.plan.reason, REASON_NONE);
		for (size_t i = 0; i < f.plan.ops_len; i++)
			for (size_t j = i + 1; f.plan.ops[i].kind == OP_BIND && j < f.plan.ops_len; j++)
				if (f.plan.ops[j].kind != OP_SEAL && text_path_is_within(f.plan.ops[j].dest, f.plan.ops[i].dest))
					fail_msg("%zu: %s below %s", p, f.plan.ops[j].dest, f.plan.ops[i].dest);
		fixture_close(&f);
	}
}

static void every_tmpfs_has_a_size_and_is_sealed_or_scratch(void **state)
{
	static const char *const profiles[] = { FIXTURE_WORKSPACE, HOST, FIXTURE_WORKSPACE "[tmp]\nbacking = memory\nsize = 1G\n",
		HOST "[tmp]\nbacking = memory\n", FIXTURE_WORKSPACE "[view]\nhide = /usr/share/doc\n" };

	(void)state;
	for (size_t p = 0; p < COUNT(profiles); p++) {
		struct fixture f;

		fixture_open(&f, profiles[p]);
		f.profile.min_grade = MIN_GRADE_PARTIAL;
		f.facts.lost = FACET_DEV;
		fixture_decide(&f);
		for (size_t i = 0; i < f.plan.ops_len; i++) {
			const struct plan_op *op = &f.plan.ops[i];

			if (op->kind != OP_TMPFS)
				continue;
			assert_true(op->size > 0 && op->size <= FIXTURE_MEMORY / 4);
			assert_true(op->mode == 0755 || op->mode == 01777);
			if (op->mode == 0755 && shown_at(&f, op->dest) == op && !fixture_has_seal(&f, op->dest))
				fail_msg("%zu: %s is neither scratch nor sealed", p, op->dest);
		}
		fixture_close(&f);
	}
}

static void no_seal_makes_a_writable_tree_read_only(void **state)
{
	static const char *const profiles[] = { FIXTURE_WORKSPACE, HOST, HOST "[tmp]\nbacking = memory\n",
		"[workspace]\npath = /var/spool\n[view]\nroot = host\n", "[workspace]\npath = /home/build/work\n[view]\nroot = host\n" };

	(void)state;
	for (size_t p = 0; p < COUNT(profiles); p++) {
		struct fixture f;

		fixture_run(&f, profiles[p], "make");
		assert_int_equal(f.plan.reason, REASON_NONE);
		for (size_t i = 0; i < f.plan.ops_len; i++) {
			const struct plan_op *op = &f.plan.ops[i], *shown = shown_at(&f, op->dest);

			if (op->kind == OP_SEAL && shown && strcmp(shown->dest, op->dest) == 0 && (shown->kind == OP_BIND || shown->mode == 01777))
				fail_msg("%zu: %s is sealed", p, op->dest);
		}
		fixture_close(&f);
	}
}

static void the_host_view_masks_every_private_tree(void **state)
{
	static const char *const masked[] = { "/home", "/root", "/run", "/tmp", "/var/tmp", "/var/log", "/var/spool", "/var/lib/stockade" };
	struct fixture f;

	(void)state;
	fixture_run(&f, HOST, "make");
	for (size_t i = 0; i < COUNT(masked); i++) {
		const struct plan_op *shown = shown_at(&f, masked[i]);

		if (!shown || strcmp(shown->dest, masked[i]) != 0 || (shown->kind != OP_TMPFS && shown->private == PRIVATE_NONE))
			fail_msg("%s shows %s", masked[i], shown ? shown->dest : "nothing");
	}
	assert_int_equal(fixture_op(&f, "/")->kind, OP_RO_BIND);
	assert_int_equal(fixture_op(&f, "/etc/passwd")->kind, OP_DATA);
	fixture_close(&f);
}

static void top_trees_are_as_on_the_host(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE);
	f.facts.mirrors_len = 1;
	fixture_add(&f, USE_USR, "", "/lib");
	fixture_decide(&f);
	assert_int_equal(fixture_op(&f, "/bin")->kind, OP_SYMLINK);
	assert_string_equal(fixture_op(&f, "/bin")->source, "usr/bin");
	assert_int_equal(fixture_op(&f, "/lib")->kind, OP_RO_BIND);
	assert_false(fixture_has_op(&f, "/sbin"));
	fixture_close(&f);
}

static void without_a_pid_namespace_proc_is_read_only_and_the_hosts(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[profile]\nmin_grade = partial\n");
	f.facts.lost = FACET_PIDNS;
	fixture_decide(&f);
	assert_int_equal(fixture_op(&f, "/proc")->kind, OP_RO_BIND);
	assert_string_equal(fixture_op(&f, "/proc")->source, "/proc");
	fixture_close(&f);
	fixture_run(&f, FIXTURE_WORKSPACE, "make");
	assert_int_equal(fixture_op(&f, "/proc")->kind, OP_PROC);
	fixture_close(&f);
}

static void a_dev_by_hand_has_no_node_but_the_harmless_ones(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[profile]\nmin_grade = partial\n");
	f.facts.lost = FACET_DEV;
	fixture_decide(&f);
	assert_int_equal(fixture_op(&f, "/dev")->kind, OP_TMPFS);
	assert_true(fixture_has_seal(&f, "/dev"));
	for (size_t i = 0; i < f.plan.ops_len; i++)
		if (f.plan.ops[i].kind == OP_DEV_BIND && !strstr("/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty", f.plan.ops[i].dest))
			fail_msg("%s", f.plan.ops[i].dest);
	assert_string_equal(fixture_op(&f, "/dev/fd")->source, "/proc/self/fd");
	assert_true(position(&f, fixture_op(&f, "/dev/shm")) > position(&f, fixture_op(&f, "/dev")));
	fixture_close(&f);
}

static void sys_is_narrowed_as_asked(void **state)
{
	struct fixture f;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE, "make");
	assert_true(fixture_has_op(&f, "/sys/devices/system/cpu"));
	assert_string_equal(fixture_op(&f, "/sys/fs/cgroup")->source,
		"/sys/fs/cgroup/user.slice/user-1001.slice/user@1001.service/app.slice/stockade-k3v9q2m7.scope");
	assert_int_equal(fixture_op(&f, "/sys/fs/cgroup")->kind, OP_RO_BIND);
	fixture_close(&f);
	fixture_run(&f, HOST "sys = none\n", "make");
	assert_int_equal(fixture_op(&f, "/sys")->kind, OP_TMPFS);
	assert_false(fixture_has_op(&f, "/sys/fs/cgroup"));
	fixture_close(&f);
	fixture_run(&f, FIXTURE_WORKSPACE "[view]\nsys = host\n", "make");
	assert_int_equal(fixture_op(&f, "/sys")->kind, OP_RO_BIND);
	fixture_close(&f);
}

static void a_hidden_directory_is_an_empty_sealed_tmpfs_and_a_hidden_file_empty(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[view]\nhide = /usr/share/doc /usr/bin/su ?/usr/none /srv/unseen\n");
	fixture_source(&f, "/usr/bin/su")->source.kind = SOURCE_FILE;
	fixture_source(&f, "/usr/none")->source.kind = SOURCE_ABSENT;
	fixture_decide(&f);
	assert_int_equal(fixture_op(&f, "/usr/share/doc")->kind, OP_TMPFS);
	assert_true(fixture_has_seal(&f, "/usr/share/doc"));
	assert_int_equal(fixture_op(&f, "/usr/bin/su")->kind, OP_DATA);
	assert_int_equal(fixture_op(&f, "/usr/bin/su")->data, DATA_EMPTY);
	assert_false(fixture_has_op(&f, "/usr/none"));
	assert_false(fixture_has_op(&f, "/srv/unseen"));
	fixture_close(&f);
}

static void a_workspace_whose_place_is_private_is_shown_elsewhere(void **state)
{
	static const char *const profiles[] = { "[workspace]\npath = /home/build/work\n", "[workspace]\npath = /tmp/work\n", "[workspace]\npath = /var/tmp/w\n",
		"[workspace]\npath = /srv/build\nmount = /workspace\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(profiles); i++) {
		struct fixture f;

		fixture_run(&f, profiles[i], "make");
		assert_int_equal(f.plan.reason, REASON_NONE);
		assert_string_equal(f.plan.cwd, "/workspace");
		assert_int_equal(fixture_op(&f, "/workspace")->kind, OP_BIND);
		assert_int_equal(fixture_op(&f, "/workspace")->fd, f.facts.sources[6].source.fd);
		fixture_close(&f);
	}
	assert_refuses("[workspace]\npath = /srv/build\nalso = /tmp/x\n", NULL, NULL, "/tmp/x: its place inside is private");
}

static void access_decides_how_the_workspace_is_bound(void **state)
{
	struct fixture f;

	(void)state;
	fixture_run(&f, "[workspace]\npath = /srv/build\nalso = /srv/b\naccess = read\n", "make");
	assert_int_equal(fixture_op(&f, "/srv/build")->kind, OP_RO_BIND);
	assert_int_equal(fixture_op(&f, "/srv/b")->kind, OP_RO_BIND);
	fixture_close(&f);
	fixture_open(&f, "[workspace]\npath = /srv/build\nalso = /srv/b\naccess = none\n");
	fixture_source(&f, "/srv/build")->source.kind = SOURCE_ABSENT;
	fixture_source(&f, "/srv/build")->source.fd = -1;
	fixture_decide(&f);
	assert_int_equal(f.plan.reason, REASON_NONE);
	assert_string_equal(f.plan.cwd, "/workspace");
	assert_int_equal(fixture_op(&f, "/workspace")->private, PRIVATE_WORK);
	assert_false(fixture_has_op(&f, "/srv/build"));
	assert_false(fixture_has_op(&f, "/srv/b"));
	fixture_close(&f);
}

static void passwd_names_three_users_and_group_the_accounts(void **state)
{
	struct fixture f;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE, "make");
	assert_string_equal(f.plan.texts[DATA_PASSWD], "root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
		"build:x:1001:1001:Build:/home/build:/bin/bash\n");
	assert_string_equal(f.plan.texts[DATA_GROUP], "root:x:0:\nnogroup:x:65534:\nbuild:x:1001:\n");
	assert_int_equal(fixture_op(&f, "/etc/passwd")->kind, OP_FILE);
	assert_int_equal(fixture_op(&f, "/etc/passwd")->mode, 0644);
	fixture_close(&f);
	fixture_open(&f, FIXTURE_WORKSPACE "[view]\npasswd = host\n");
	f.account.gid = 65534;
	fixture_decide(&f);
	assert_string_equal(f.plan.texts[DATA_GROUP], "root:x:0:\nnogroup:x:65534:\n");
	assert_false(fixture_has_op(&f, "/etc/passwd"));
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_view_has_at_most_25_mounts),
		cmocka_unit_test(only_workspace_also_and_private_directories_are_writable),
		cmocka_unit_test(a_source_is_bound_by_its_descriptor_and_named_by_its_canonical_path),
		cmocka_unit_test(every_parent_of_a_mount_is_made_0755_before_it),
		cmocka_unit_test(nothing_is_mounted_below_a_tree_the_account_can_write),
		cmocka_unit_test(every_tmpfs_has_a_size_and_is_sealed_or_scratch),
		cmocka_unit_test(no_seal_makes_a_writable_tree_read_only),
		cmocka_unit_test(the_host_view_masks_every_private_tree),
		cmocka_unit_test(top_trees_are_as_on_the_host),
		cmocka_unit_test(without_a_pid_namespace_proc_is_read_only_and_the_hosts),
		cmocka_unit_test(a_dev_by_hand_has_no_node_but_the_harmless_ones),
		cmocka_unit_test(sys_is_narrowed_as_asked),
		cmocka_unit_test(a_hidden_directory_is_an_empty_sealed_tmpfs_and_a_hidden_file_empty),
		cmocka_unit_test(a_workspace_whose_place_is_private_is_shown_elsewhere),
		cmocka_unit_test(access_decides_how_the_workspace_is_bound),
		cmocka_unit_test(passwd_names_three_users_and_group_the_accounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

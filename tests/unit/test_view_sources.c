/* SPDX-License-Identifier: ISC */
/* Which sources view_build() takes, and which it refuses. */
#include "view_sources.h"

#include "fixture.h"

static void assert_refuses(const char *profile, const char *source, void (*change)(struct facts_source *), const char *detail)
{
	struct fixture f;

	fixture_open(&f, profile);
	if (change)
		change(fixture_source(&f, source));
	fixture_decide(&f);
	if (f.plan.reason != REASON_PROFILE || !strstr(f.plan.detail, detail))
		fail_msg("%s: %s, wanted: %s", plan_reason_name(f.plan.reason), f.plan.detail, detail);
	assert_int_equal(plan_status(&f.plan), 126);
	fixture_close(&f);
}

static void set_path(struct facts_source *item, const char *path)
{
	free(item->source.path);
	item->source.path = strdup(path);
}

static void make_absent(struct facts_source *item)
{
	item->source.kind = SOURCE_ABSENT;
	item->source.fd = -1;
}

static void make_file(struct facts_source *item)
{
	item->source.kind = SOURCE_FILE;
}

static void make_socket(struct facts_source *item)
{
	item->source.kind = SOURCE_SOCKET;
}

static void make_foreign(struct facts_source *item)
{
	item->source.uid = 7;
	item->source.gid = 7;
}

static void make_broken(struct facts_source *item)
{
	item->error = -40;
	snprintf(item->why, sizeof(item->why), "/srv/x: is a link that others can replace");
	item->source.fd = -1;
}

static void make_loose(struct facts_source *item)
{
	snprintf(item->source.loose, sizeof(item->source.loose), "/srv");
}

static void lead_to_run(struct facts_source *item)
{
	set_path(item, "/run/x");
}

static void lead_to_usr(struct facts_source *item)
{
	set_path(item, "/usr/share/x");
}

static void lead_to_workspace(struct facts_source *item)
{
	set_path(item, "/srv/build/sub");
}

static void a_workspace_must_be_a_directory_of_the_accounts(void **state)
{
	(void)state;
	assert_refuses(FIXTURE_WORKSPACE, "/srv/build", make_absent, "/srv/build: does not exist");
	assert_refuses(FIXTURE_WORKSPACE, "/srv/build", make_file, "/srv/build: is not a directory");
	assert_refuses(FIXTURE_WORKSPACE, "/srv/build", make_foreign, "/srv/build: belongs neither to user build nor to a group");
	assert_refuses(FIXTURE_WORKSPACE, "/srv/build", make_broken, "/srv/build: /srv/x: is a link that others can replace");
	assert_refuses("[workspace]\npath = /srv/build\nalso = /srv/b\n", "/srv/b", make_foreign, "/srv/b: belongs neither");
}

static void a_workspace_of_one_of_the_groups_is_taken(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE);
	fixture_source(&f, "/srv/build")->source.uid = 0;
	fixture_source(&f, "/srv/build")->source.gid = 2000;
	fixture_decide(&f);
	assert_int_equal(f.plan.reason, REASON_NONE);
	fixture_close(&f);
}

static void an_unsafe_workspace_is_refused_also_where_a_link_leads_there(void **state)
{
	static const char *const unsafe[] = { "/", "/usr", "/etc/x", "/home/build", "/home", "/home/build/.ssh", "/tmp", "/var/lib/stockade", "/run/user/1001" };

	(void)state;
	for (size_t i = 0; i < COUNT(unsafe); i++) {
		char profile[128];

		snprintf(profile, sizeof(profile), "[workspace]\npath = %s\n", unsafe[i]);
		assert_refuses(profile, NULL, NULL, unsafe[i]);
	}
	assert_refuses(FIXTURE_WORKSPACE, "/srv/build", lead_to_usr, "is at, under or above /usr");
	assert_refuses("[workspace]\npath = /srv/build\nalso = /usr/x\n", NULL, NULL, "/usr/x: is at, under or above /usr");
}

static void an_absent_source_is_refused_unless_marked(void **state)
{
	struct fixture f;

	(void)state;
	assert_refuses(FIXTURE_WORKSPACE "[view]\nread = /srv/d\n", "/srv/d", make_absent, "/srv/d: does not exist, write ?/srv/d if it may be missing");
	assert_refuses(FIXTURE_WORKSPACE "[view]\ndevices = kvm\n", "/dev/kvm", make_absent, "/dev/kvm: does not exist");
	fixture_open(&f, FIXTURE_WORKSPACE "[view]\nread = ?/srv/d\n");
	make_absent(fixture_source(&f, "/srv/d"));
	make_absent(fixture_source(&f, "/opt/toolchains"));
	make_absent(fixture_source(&f, "/etc/alternatives"));
	fixture_decide(&f);
	assert_int_equal(f.plan.reason, REASON_NONE);
	assert_false(fixture_has_op(&f, "/srv/d"));
	assert_false(fixture_has_op(&f, "/opt/toolchains"));
	assert_false(fixture_has_op(&f, "/etc/alternatives"));
	fixture_close(&f);
}

static void an_absent_further_tree_is_left_out_where_marked(void **state)
{
	struct fixture f;

	(void)state;
	assert_refuses("[workspace]\npath = /srv/build\nalso = /srv/b\n", "/srv/b", make_absent, "/srv/b: does not exist");
	fixture_open(&f, "[workspace]\npath = /srv/build\nalso = ?/srv/b\n");
	make_absent(fixture_source(&f, "/srv/b"));
	fixture_decide(&f);
	assert_string_equal(f.plan.detail, "");
	assert_int_equal(f.plan.reason, REASON_NONE);
	assert_false(fixture_has_op(&f, "/srv/b"));
	fixture_close(&f);
	/* Marked or not, an unsafe one is refused. */
	fixture_open(&f, "[workspace]\npath = /srv/build\nalso = ?/usr/b\n");
	make_absent(fixture_source(&f, "/usr/b"));
	fixture_decide(&f);
	assert_int_equal(f.plan.reason, REASON_PROFILE);
	fixture_close(&f);
}

static void what_is_shown_may_not_be_swapped_by_others(void **state)
{
	static const char *const profiles[][2] = { { "[view]\nread = /srv/d\n", "/srv/d" }, { "[view]\ntoolchains = /opt/t\n", "/opt/t" },
		{ "[view]\netc = ssl\n", "/etc/ssl" }, { "[view]\nread = /srv/d\n", "/usr" } };

	(void)state;
	for (size_t i = 0; i < COUNT(profiles); i++) {
		char profile[128];

		snprintf(profile, sizeof(profile), FIXTURE_WORKSPACE "%s", profiles[i][0]);
		assert_refuses(profile, profiles[i][1], make_loose, "/srv is not root's, or others can write it");
		assert_refuses(profile, profiles[i][1], lead_to_run, "/run");
		assert_refuses(profile, profiles[i][1], make_socket, "is a socket");
		assert_refuses(profile, profiles[i][1], make_broken, "is a link that others can replace");
	}
}

static void a_device_is_a_node_and_may_belong_to_a_group(void **state)
{
	struct fixture f;

	(void)state;
	assert_refuses(FIXTURE_WORKSPACE "[view]\ndevices = kvm\n", "/dev/kvm", make_file, "/dev/kvm: is not a device node");
	assert_refuses(FIXTURE_WORKSPACE "[view]\ndevices = kvm\n", "/dev/kvm", make_loose, "/srv is not root's");
	fixture_open(&f, FIXTURE_WORKSPACE "[view]\ndevices = kvm\n");
	snprintf(fixture_source(&f, "/dev/kvm")->source.loose, 32, "/dev/kvm");
	fixture_decide(&f);
	assert_int_equal(f.plan.reason, REASON_NONE);
	assert_int_equal(fixture_op(&f, "/dev/kvm")->kind, OP_DEV_BIND);
	fixture_close(&f);
	fixture_open(&f, FIXTURE_WORKSPACE "[view]\ndevices = kvm\n");
	snprintf(fixture_source(&f, "/dev/kvm")->source.loose, 32, "/dev/kvm");
	fixture_source(&f, "/dev/kvm")->source.uid = 1001;
	fixture_decide(&f);
	assert_int_equal(f.plan.reason, REASON_PROFILE);
	fixture_close(&f);
}

static void nothing_shown_or_hidden_is_inside_or_above_a_writable_tree(void **state)
{
	static const char *const profiles[] = { "[view]\nread = /srv/build/x\n", "[view]\nread = /srv\n", "[view]\nhide = /srv/build/x\n", "[view]\nhide = /srv\n",
		"[view]\ntoolchains = /srv/build\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(profiles); i++) {
		char profile[128];

		snprintf(profile, sizeof(profile), FIXTURE_WORKSPACE "%s", profiles[i]);
		assert_refuses(profile, NULL, NULL, "is inside or above the writable tree /srv/build");
	}
	assert_refuses(FIXTURE_WORKSPACE "[view]\nread = /data\n", "/data", lead_to_workspace, "/data: is inside or above the writable tree");
	assert_refuses("[workspace]\npath = /srv/build\nalso = /srv/build/x\n", NULL, NULL, "is inside or above the writable tree");
	assert_refuses("[workspace]\npath = /srv/build\nalso = /srv/b /srv/b/c\n", NULL, NULL, "/srv/b/c: is inside or above the writable tree /srv/b");
	assert_refuses("[workspace]\npath = /srv/build\nalso = /srv/b\n", "/srv/b", lead_to_workspace, "/srv/b: is inside or above the writable tree");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_workspace_must_be_a_directory_of_the_accounts),
		cmocka_unit_test(a_workspace_of_one_of_the_groups_is_taken),
		cmocka_unit_test(an_unsafe_workspace_is_refused_also_where_a_link_leads_there),
		cmocka_unit_test(an_absent_source_is_refused_unless_marked),
		cmocka_unit_test(an_absent_further_tree_is_left_out_where_marked),
		cmocka_unit_test(what_is_shown_may_not_be_swapped_by_others),
		cmocka_unit_test(a_device_is_a_node_and_may_belong_to_a_group),
		cmocka_unit_test(nothing_shown_or_hidden_is_inside_or_above_a_writable_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

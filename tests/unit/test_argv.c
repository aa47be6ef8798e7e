/* SPDX-License-Identifier: ISC */
/* The order contract, over every combination of facets, terminal and kind of request. */
#include "argv.h"
#include "view.h"

#include "fixture.h"

static const char *const commands[] = { NULL, "make", "internal-sftp", "systemd-run --user prlimit bwrap -- setsid" };
static const char *const profiles[] = {
	FIXTURE_WORKSPACE "[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n",
	FIXTURE_WORKSPACE "[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n[view]\nroot = host\nhide = /usr/share/doc\n",
	"[workspace]\npath = /srv/build\nalso = /srv/b\naccess = read\n[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n[tmp]\nbacking = memory\n"
	"[limits]\nnproc = 5\nstack = unlimited\n",
};

typedef void check(const struct fixture *f);

static void for_every_combination(check *check_one)
{
	for (size_t p = 0; p < COUNT(profiles); p++)
		for (size_t c = 0; c < COUNT(commands); c++)
			for (unsigned lost = 0; lost <= FACETS_ALL; lost++)
				for (int terminal = 0; terminal < 2; terminal++) {
					struct fixture f;

					fixture_open(&f, profiles[p]);
					f.request.has_terminal = terminal;
					fixture_request(&f, commands[c]);
					f.facts.lost = lost;
					if (lost & FACET_LIMITS)
						strcpy(f.facts.limits_problem, "no manager");
					fixture_decide(&f);
					assert_int_equal(f.plan.reason, REASON_NONE);
					check_one(&f);
					fixture_close(&f);
				}
}

/* The words before the command. */
static size_t chain_len(const struct fixture *f)
{
	assert_true(f->argv.len > f->plan.command.len);
	return f->argv.len - f->plan.command.len;
}

/* Where the tool stands among the chain's own words; the only place, or -1. */
static long place(const struct fixture *f, const char *tool)
{
	long found = -1;

	for (size_t i = 0; i < chain_len(f); i++)
		if (strcmp(f->argv.items[i], tool) == 0) {
			assert_int_equal(found, -1);
			found = (long)i;
		}
	return found;
}

static void check_order(const struct fixture *f)
{
	long systemd_run = place(f, "/usr/bin/systemd-run"), env = place(f, "/usr/bin/env"), bwrap = place(f, "/usr/bin/bwrap"),
	     setsid = place(f, "/usr/bin/setsid"), prlimit = place(f, "/usr/bin/prlimit");

	assert_true((systemd_run == 0) == ((f->plan.facets & FACET_LIMITS) != 0));
	assert_true(env > systemd_run);
	assert_string_equal(f->argv.items[env + 1], "-i");
	assert_true(bwrap == env + 2);
	assert_true((setsid > bwrap) == f->plan.has_terminal);
	assert_true(f->plan.has_terminal || setsid == -1);
	assert_true(prlimit > bwrap && prlimit > setsid);
	assert_true((size_t)prlimit < chain_len(f));
}

static void systemd_run_env_bwrap_setsid_prlimit_command_stand_in_this_order(void **state)
{
	(void)state;
	for_every_combination(check_order);
}

static void check_command(const struct fixture *f)
{
	size_t at = chain_len(f);

	assert_string_equal(f->argv.items[at - 1], "--");
	assert_int_equal(f->plan.command.len, f->verdict.argv.len);
	for (size_t i = 0; i < f->plan.command.len; i++)
		assert_string_equal(f->argv.items[at + i], f->verdict.argv.items[i]);
}

static void the_command_stands_last_unchanged_behind_two_dashes(void **state)
{
	(void)state;
	for_every_combination(check_command);
}

static void check_separators(const struct fixture *f)
{
	long bwrap = place(f, "/usr/bin/bwrap");

	if (f->plan.facets & FACET_LIMITS)
		assert_string_equal(f->argv.items[place(f, "/usr/bin/env") - 1], "--");
	assert_string_equal(f->argv.items[bwrap + 1], "--args");
	assert_string_equal(f->argv.items[bwrap + 3], "--");
	if (f->plan.has_terminal)
		assert_string_equal(f->argv.items[bwrap + 5], "-c");
}

static void each_tool_ends_its_own_options_before_the_next(void **state)
{
	(void)state;
	for_every_combination(check_separators);
}

static void check_bwrap_words(const struct fixture *f)
{
	for (size_t i = 0; i < f->bwrap.len; i++) {
		assert_null(strstr(f->bwrap.items[i], "systemd-run"));
		assert_null(strstr(f->bwrap.items[i], "/usr/bin/prlimit"));
	}
	for (size_t i = 0; i < chain_len(f); i++)
		if (f->argv.items[i][0] == '/')
			assert_true(strstr(f->argv.items[i], "/usr/bin/") == f->argv.items[i]);
}

static void no_tool_of_the_outside_is_named_to_bwrap_and_no_path_to_pid_1(void **state)
{
	(void)state;
	for_every_combination(check_bwrap_words);
}

static void check_seals(const struct fixture *f)
{
	size_t first = f->plan.ops_len;
	long workspace = -1, session = -1;

	for (size_t i = 0; i < f->plan.ops_len; i++) {
		const struct plan_op *op = &f->plan.ops[i];

		if (op->kind == OP_SEAL && first == f->plan.ops_len)
			first = i;
		if (i > first)
			assert_int_equal(op->kind, OP_SEAL);
		if (strcmp(op->dest, f->plan.cwd) == 0 && op->kind != OP_SEAL)
			workspace = (long)i;
		if (op->data == DATA_SESSION)
			session = (long)i;
	}
	assert_true(first < f->plan.ops_len);
	assert_string_equal(f->plan.ops[f->plan.ops_len - 1].dest, "/");
	assert_int_equal(f->plan.ops[f->plan.ops_len - 1].kind, OP_SEAL);
	assert_true(fixture_has_seal(f, "/dev"));
	/* Behind the workspace (and its further trees) only the session's name and the seals. */
	assert_int_equal(session, first - 1);
	assert_true(workspace >= 0 && workspace < session);
	for (long i = workspace + 1; i < session; i++)
		if (f->plan.ops[i].kind != OP_DIR && strcmp(f->plan.ops[i].why, "[workspace] also") != 0)
			fail_msg("%s is mounted behind the workspace", f->plan.ops[i].dest);
}

static void seals_stand_last_and_the_root_is_sealed_last_of_all(void **state)
{
	(void)state;
	for_every_combination(check_seals);
}

static void check_rendered_order(const struct fixture *f)
{
	size_t at = 0;

	for (size_t i = 0; i < f->plan.ops_len; i++) {
		while (at < f->bwrap.len && strcmp(f->bwrap.items[at], f->plan.ops[i].dest) != 0)
			at++;
		if (at == f->bwrap.len)
			fail_msg("%s is not where the plan has it", f->plan.ops[i].dest);
		if (f->plan.ops[i].kind == OP_SEAL)
			assert_string_equal(f->bwrap.items[at - 1], "--remount-ro");
	}
	assert_string_equal(f->bwrap.items[at], "/");
	for (size_t i = at + 1; i < f->bwrap.len; i++)
		assert_null(strstr(f->bwrap.items[i], "bind"));
}

static void bwrap_gets_the_operations_in_the_plans_order(void **state)
{
	(void)state;
	for_every_combination(check_rendered_order);
}

static void check_rlimits(const struct fixture *f)
{
	for (size_t i = (size_t)place(f, "/usr/bin/prlimit") + 1; i < chain_len(f) - 1; i++) {
		const char *soft = strchr(f->argv.items[i], '='), *hard = soft ? strchr(soft, ':') : NULL;

		assert_non_null(hard);
		if (strlen(hard + 1) != (size_t)(hard - soft - 1) || strncmp(soft + 1, hard + 1, strlen(hard + 1)) != 0)
			fail_msg("%s", f->argv.items[i]);
	}
}

static void soft_and_hard_are_the_same_in_every_rlimit(void **state)
{
	(void)state;
	for_every_combination(check_rlimits);
}

static bool has_word(const struct strv *words, const char *word)
{
	return strv_contains(words, word);
}

static void check_namespaces(const struct fixture *f)
{
	static const char *const always[] = { "--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--die-with-parent", "--new-session",
		"--clearenv", "--seccomp", "--json-status-fd", "--block-fd", "--sync-fd" };

	for (size_t i = 0; i < COUNT(always); i++)
		fixture_index(&f->bwrap, always[i]);
	assert_int_equal(has_word(&f->bwrap, "--unshare-pid"), (f->plan.facets & FACET_PIDNS) != 0);
	assert_int_equal(has_word(&f->bwrap, "--proc"), (f->plan.facets & FACET_PIDNS) != 0);
	assert_int_equal(has_word(&f->bwrap, "--dev"), (f->plan.facets & FACET_DEV) != 0);
	assert_int_equal(has_word(&f->bwrap, "--unshare-cgroup"), (f->plan.facets & FACET_CGROUPNS) != 0);
	assert_int_equal(has_word(&f->bwrap, "--disable-userns"), (f->plan.facets & FACET_USERNS) != 0);
	assert_false(has_word(&f->bwrap, "--share-net"));
	assert_false(has_word(&f->bwrap, "--unshare-all"));
	assert_false(has_word(&f->bwrap, "--cap-add"));
}

static void every_facet_asked_for_is_in_bwraps_options_and_no_other(void **state)
{
	(void)state;
	for_every_combination(check_namespaces);
}

static void nothing_of_the_client_reaches_systemd(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE);
	fixture_request(&f, "canary %u $HOME");
	fixture_decide(&f);
	for (size_t i = 0; i < (size_t)place(&f, "/usr/bin/env"); i++)
		assert_null(strstr(f.argv.items[i], "canary"));
	fixture_index(&f.argv, "--description=stockade-k3v9q2m7");
	fixture_index(&f.argv, "--expand-environment=no");
	fixture_index(&f.argv, "--property=OOMPolicy=continue");
	fixture_close(&f);
	fixture_open(&f, FIXTURE_WORKSPACE);
	f.facts.has_expand_environment = false;
	fixture_decide(&f);
	assert_false(has_word(&f.argv, "--expand-environment=no"));
	fixture_close(&f);
}

static void each_hidden_file_has_a_descriptor_of_its_own(void **state)
{
	static const int empties[] = { 21, 22 };
	const struct argv_fds fds = { .args = 10, .empty = empties };
	_cleanup_strv_ struct strv words = STRV_INIT;
	struct fixture f;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE, "make");
	view_add(&f.plan, OP_DATA, "/usr/a", "hidden")->data = DATA_EMPTY;
	view_add(&f.plan, OP_DATA, "/usr/b", "hidden")->data = DATA_EMPTY;
	assert_int_equal(argv_render_bwrap(&words, &f.plan, &f.input, &fds, &(struct err){ "" }), 0);
	assert_string_equal(words.items[fixture_index(&words, "/usr/a") - 1], "21");
	assert_string_equal(words.items[fixture_index(&words, "/usr/b") - 1], "22");
	fixture_close(&f);
}

static void with_descriptors_sources_are_bound_by_number(void **state)
{
	const struct argv_fds fds = { .args = 10, .seccomp = 11, .status = 12, .block = 13, .sync = 14, .data = { [DATA_PASSWD] = 15, [DATA_GROUP] = 16, [DATA_SESSION] = 18 } };
	_cleanup_strv_ struct strv words = STRV_INIT;
	struct fixture f;
	char number[16];
	size_t at;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE, "make");
	assert_int_equal(argv_render_bwrap(&words, &f.plan, &f.input, &fds, &(struct err){ "" }), 0);
	at = fixture_index(&words, "/srv/build");
	snprintf(number, sizeof(number), "%d", fixture_source(&f, "/srv/build")->source.fd);
	assert_string_equal(words.items[at - 1], number);
	assert_string_equal(words.items[at - 2], "--bind-fd");
	at = fixture_index(&words, "/usr");
	assert_string_equal(words.items[at - 2], "--ro-bind-fd");
	assert_string_equal(words.items[fixture_index(&words, "/etc/passwd") - 1], "15");
	assert_string_equal(words.items[fixture_index(&words, "/etc/group") - 1], "16");
	assert_string_equal(words.items[fixture_index(&words, "/run/stockade") - 1], "18");
	assert_string_equal(words.items[fixture_index(&words, "--seccomp") + 1], "11");
	assert_string_equal(words.items[fixture_index(&words, "--json-status-fd") + 1], "12");
	assert_string_equal(words.items[fixture_index(&words, "--block-fd") + 1], "13");
	assert_string_equal(words.items[fixture_index(&words, "--sync-fd") + 1], "14");
	/* An operation without a descriptor keeps its path. */
	assert_string_equal(words.items[fixture_index(&words, "/tmp") - 2], "--bind");
	fixture_close(&f);
}

static void descriptor_zero_is_a_descriptor(void **state)
{
	const struct argv_fds fds = { 0, 0, 0, 0, 0, { 0 }, NULL };
	_cleanup_strv_ struct strv words = STRV_INIT;
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE);
	fixture_source(&f, "/srv/build")->source.fd = 0;
	fixture_decide(&f);
	assert_int_equal(argv_render_bwrap(&words, &f.plan, &f.input, &fds, &(struct err){ "" }), 0);
	assert_string_equal(words.items[fixture_index(&words, "/srv/build") - 2], "--bind-fd");
	assert_string_equal(words.items[fixture_index(&words, "--seccomp") + 1], "0");
	assert_string_equal(words.items[fixture_index(&words, "/etc/passwd") - 1], "0");
	fixture_close(&f);
}

static void the_environment_is_cleared_and_then_set_name_by_name(void **state)
{
	struct fixture f;
	size_t at;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE "[env]\nset = \"A=b=c D=\"\n", "make");
	at = fixture_index(&f.bwrap, "A");
	assert_string_equal(f.bwrap.items[at - 1], "--setenv");
	assert_string_equal(f.bwrap.items[at + 1], "b=c");
	at = fixture_index(&f.bwrap, "D");
	assert_string_equal(f.bwrap.items[at + 1], "");
	assert_true(fixture_index(&f.bwrap, "--clearenv") < fixture_index(&f.bwrap, "--setenv"));
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(systemd_run_env_bwrap_setsid_prlimit_command_stand_in_this_order),
		cmocka_unit_test(the_command_stands_last_unchanged_behind_two_dashes),
		cmocka_unit_test(each_tool_ends_its_own_options_before_the_next),
		cmocka_unit_test(no_tool_of_the_outside_is_named_to_bwrap_and_no_path_to_pid_1),
		cmocka_unit_test(seals_stand_last_and_the_root_is_sealed_last_of_all),
		cmocka_unit_test(bwrap_gets_the_operations_in_the_plans_order),
		cmocka_unit_test(soft_and_hard_are_the_same_in_every_rlimit),
		cmocka_unit_test(every_facet_asked_for_is_in_bwraps_options_and_no_other),
		cmocka_unit_test(nothing_of_the_client_reaches_systemd),
		cmocka_unit_test(each_hidden_file_has_a_descriptor_of_its_own),
		cmocka_unit_test(with_descriptors_sources_are_bound_by_number),
		cmocka_unit_test(descriptor_zero_is_a_descriptor),
		cmocka_unit_test(the_environment_is_cleared_and_then_set_name_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

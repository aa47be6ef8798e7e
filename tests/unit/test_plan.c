/* SPDX-License-Identifier: ISC */
#include "plan.h"

#include <errno.h>

#include "attempt.h"
#include "fixture.h"
#include "seccomp.h"

#define PARTIAL FIXTURE_WORKSPACE "[profile]\nmin_grade = partial\n"
#define BEST_EFFORT FIXTURE_WORKSPACE "[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n"

static void assert_refused(const struct fixture *f, enum plan_reason reason, int status)
{
	if (f->plan.reason != reason)
		fail_msg("reason %s: %s", plan_reason_name(f->plan.reason), f->plan.detail);
	assert_int_equal(plan_status(&f->plan), status);
	assert_int_equal(f->plan.grade, GRADE_REFUSED);
	assert_true(f->plan.sentence[0] && f->plan.detail[0] && f->plan.stage);
}

/* What the log says is what the user must not be told, unless the sentence is his. */
static void assert_user_is_not_told(const struct fixture *f, const char *secret)
{
	assert_non_null(strstr(f->plan.detail, secret));
	assert_null(strstr(f->plan.sentence, secret));
}

static void a_disabled_account_is_refused_with_its_message_before_anything_else(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[profile]\nenabled = no\nmessage = back on monday\n[allow]\nls = ls\n");
	strcpy(f.facts.tool_problem, "/usr/bin/bwrap: does not exist");
	fixture_decide(&f);
	assert_refused(&f, REASON_DISABLED, 126);
	assert_string_equal(f.plan.sentence, "back on monday");
	assert_string_equal(f.plan.detail, "[profile] enabled = no");
	fixture_close(&f);
	fixture_run(&f, FIXTURE_WORKSPACE "[profile]\nenabled = no\n", "make");
	assert_string_equal(f.plan.sentence, "this account is disabled");
	fixture_close(&f);
}

static void a_key_of_nobody_is_refused_where_actors_are_named(void **state)
{
	static const char profile[] = FIXTURE_WORKSPACE "[actors]\nalice = SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n";
	struct fixture f;

	(void)state;
	fixture_run(&f, profile, "make");
	assert_refused(&f, REASON_ACTOR, 126);
	fixture_close(&f);
	fixture_open(&f, profile);
	f.input.actor = "alice";
	fixture_decide(&f);
	assert_int_equal(f.plan.reason, REASON_NONE);
	fixture_close(&f);
	fixture_open(&f, profile);
	f.profile.actor = ACTOR_OPTIONAL;
	fixture_decide(&f);
	assert_int_equal(f.plan.reason, REASON_NONE);
	fixture_close(&f);
}

static void a_refusal_by_rules_tells_the_user_which(void **state)
{
	struct fixture f;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE "[allow]\nls = ls\n", "make");
	assert_refused(&f, REASON_RULE, 126);
	assert_string_equal(f.plan.sentence, "\"make\" is not among this account's commands: ls, sftp");
	assert_string_equal(f.plan.detail, f.plan.sentence);
	fixture_close(&f);
}

static void a_command_too_long_for_the_kernel_is_refused_saying_so(void **state)
{
	size_t max = 128 * 1024 - 1;
	char *text = malloc(max + 1);

	(void)state;
	for (size_t len = max - 1; len <= max; len++) {
		struct fixture f;

		memset(text, 'a', len);
		text[len] = '\0';
		fixture_run(&f, FIXTURE_WORKSPACE, text);
		if (len < max) {
			assert_int_equal(f.plan.reason, REASON_NONE);
		} else {
			assert_refused(&f, REASON_REQUEST, 126);
			assert_non_null(strstr(f.plan.sentence, "128 KiB"));
		}
		fixture_close(&f);
	}
	free(text);
}

static void an_unsafe_tool_is_125_and_named_in_the_log_only(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE);
	strcpy(f.facts.tool_problem, "/usr/bin/bwrap: is setuid or setgid");
	fixture_decide(&f);
	assert_refused(&f, REASON_TOOLS, 125);
	assert_user_is_not_told(&f, "setuid");
	fixture_close(&f);
}

static void an_unsafe_workspace_is_for_the_log_only(void **state)
{
	struct fixture f;

	(void)state;
	fixture_run(&f, "[workspace]\npath = /usr/src\n", "make");
	assert_refused(&f, REASON_PROFILE, 126);
	assert_user_is_not_told(&f, "/usr/src");
	fixture_close(&f);
}

static void each_lost_facet_gives_partial_where_allowed_and_is_named(void **state)
{
	static const struct {
		enum facet facet;
		const char *name;
	} facets[] = { { FACET_PIDNS, "pidns" }, { FACET_DEV, "dev" }, { FACET_CGROUPNS, "cgroupns" }, { FACET_USERNS, "userns" } };

	(void)state;
	for (size_t i = 0; i < COUNT(facets); i++) {
		struct fixture f;
		char lacks[64];

		fixture_open(&f, PARTIAL);
		f.facts.lost = facets[i].facet;
		fixture_decide(&f);
		assert_int_equal(f.plan.reason, REASON_NONE);
		assert_int_equal(f.plan.grade, GRADE_PARTIAL);
		assert_int_equal(f.plan.facets, FACETS_ALL & ~(unsigned)facets[i].facet);
		assert_string_equal(facets_text(f.plan.lacks, lacks, sizeof(lacks)), facets[i].name);
		fixture_close(&f);
		fixture_open(&f, FIXTURE_WORKSPACE);
		f.facts.lost = facets[i].facet;
		strcpy(f.facts.lost_why, "unshare: not permitted");
		fixture_decide(&f);
		assert_refused(&f, REASON_GRADE, 126);
		assert_user_is_not_told(&f, facets[i].name);
		assert_user_is_not_told(&f, "unshare: not permitted");
		fixture_close(&f);
	}
}

static void limits_are_given_up_only_with_best_effort_and_a_partial_grade(void **state)
{
	static const struct {
		const char *profile;
		bool runs;
	} cases[] = { { FIXTURE_WORKSPACE, false }, { PARTIAL, false }, { FIXTURE_WORKSPACE "[cgroup]\nenforce = best-effort\n", false }, { BEST_EFFORT, true } };

	(void)state;
	for (size_t how = 0; how < 3; how++)
		for (size_t i = 0; i < COUNT(cases); i++) {
			bool has_scope = how == 2; /* one that will not hold its limits, and still ends a run whole */
			struct fixture f;

			fixture_open(&f, cases[i].profile);
			if (how == 0)
				strcpy(f.facts.limits_problem, "no user manager listens");
			else if (has_scope)
				strcpy(f.facts.unlimited_why, "no controllers");
			else
				f.facts.lost = FACET_LIMITS, strcpy(f.facts.lost_why, "no scope");
			fixture_decide(&f);
			if (!cases[i].runs) {
				assert_refused(&f, REASON_GRADE, 126);
			} else {
				assert_int_equal(f.plan.reason, REASON_NONE);
				assert_int_equal(f.plan.lacks, FACET_LIMITS);
				assert_int_equal(f.plan.facets, has_scope ? FACETS_ALL : FACETS_ALL & ~(unsigned)FACET_LIMITS);
				assert_int_equal(f.plan.limits_len > 0, has_scope);
				assert_int_equal(f.plan.cgroup[0] != '\0', has_scope);
			}
			fixture_close(&f);
		}
}

static void user_namespaces_that_the_profile_allows_are_not_missing(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[seccomp]\nallow = userns ptrace\n");
	f.facts.lost = FACET_USERNS;
	fixture_decide(&f);
	assert_int_equal(f.plan.grade, GRADE_FULL);
	assert_int_equal(f.plan.lacks, 0);
	assert_int_equal(f.plan.facets & FACET_USERNS, 0);
	assert_int_equal(f.plan.seccomp_allow, SECCOMP_ALLOW_USERNS | SECCOMP_ALLOW_PTRACE);
	fixture_close(&f);
}

static void assert_limit(const struct fixture *f, const char *file, const char *property, const char *expected)
{
	for (size_t i = 0; i < f->plan.limits_len; i++)
		if (strcmp(f->plan.limits[i].file, file) == 0) {
			assert_string_equal(f->plan.limits[i].property, property);
			assert_string_equal(f->plan.limits[i].expected, expected);
			return;
		}
	fail_msg("no limit %s", file);
}

static void limits_are_asked_for_as_they_are_read_back(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[cgroup]\nmemory_max = 1000001\nmemory_high = 25%\nswap_max = 64M\ntasks_max = 7\ncpus = 2.5\ncpu_weight = 50\n"
		"io_weight = 200\n");
	f.facts.swap_total = 1;
	fixture_decide(&f);
	assert_int_equal(f.plan.limits_len, 7);
	assert_limit(&f, "memory.max", "MemoryMax=999424", "999424");
	assert_limit(&f, "memory.high", "MemoryHigh=2147479552", "2147479552");
	assert_limit(&f, "memory.swap.max", "MemorySwapMax=67108864", "67108864");
	assert_limit(&f, "pids.max", "TasksMax=7", "7");
	assert_limit(&f, "cpu.max", "CPUQuota=250%", "250000 100000");
	assert_limit(&f, "cpu.weight", "CPUWeight=50", "50");
	assert_limit(&f, "io.weight", "IOWeight=200", "default 200");
	fixture_close(&f);
}

static void by_default_memory_and_tasks_are_limited_and_swap_where_there_is_some(void **state)
{
	struct fixture f;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE, "make");
	assert_int_equal(f.plan.limits_len, 2);
	assert_limit(&f, "pids.max", "TasksMax=1024", "1024");
	fixture_close(&f);
	fixture_open(&f, FIXTURE_WORKSPACE);
	f.facts.swap_total = 4096;
	fixture_decide(&f);
	assert_int_equal(f.plan.limits_len, 3);
	assert_limit(&f, "memory.swap.max", "MemorySwapMax=0", "0");
	fixture_close(&f);
}

static void limits_that_read_back_otherwise_refuse_or_grade_down(void **state)
{
	static const char *const wrong[][2] = { { "max", "1024" }, { NULL, "1024" }, { "4294963200", "1025" }, { "4294963200", "" } };

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct fixture f;

		fixture_run(&f, FIXTURE_WORKSPACE, "make");
		assert_string_equal(f.plan.limits[0].expected, "4294963200");
		plan_settle_limits(&f.plan, &f.profile, wrong[i]);
		assert_refused(&f, REASON_GRADE, 126);
		fixture_close(&f);
		fixture_run(&f, BEST_EFFORT, "make");
		plan_settle_limits(&f.plan, &f.profile, wrong[i]);
		assert_int_equal(f.plan.reason, REASON_NONE);
		assert_int_equal(f.plan.grade, GRADE_PARTIAL);
		assert_int_equal(f.plan.lacks, FACET_LIMITS);
		fixture_close(&f);
	}
}

static void limits_that_read_back_as_asked_keep_grade_full(void **state)
{
	static const char *const right[] = { "4294963200", "1024" };
	struct fixture f;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE, "make");
	plan_settle_limits(&f.plan, &f.profile, right);
	assert_int_equal(f.plan.reason, REASON_NONE);
	assert_int_equal(f.plan.grade, GRADE_FULL);
	assert_int_equal(f.plan.facets, FACETS_ALL);
	fixture_close(&f);
}

static void an_rlimit_above_the_hard_one_becomes_the_hard_one(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[limits]\nnofile = 4096\ncore = unlimited\nnproc = 5\nfsize = 1M\nstack = unlimited\n");
	f.facts.hard_limits[limits_find("nofile")] = 1024;
	f.facts.hard_limits[limits_find("core")] = 0;
	f.facts.hard_limits[limits_find("nproc")] = 100;
	fixture_decide(&f);
	fixture_index(&f.plan.rlimits, "--nofile=1024:1024");
	fixture_index(&f.plan.rlimits, "--core=0:0");
	fixture_index(&f.plan.rlimits, "--nproc=5:5");
	fixture_index(&f.plan.rlimits, "--fsize=1048576:1048576");
	fixture_index(&f.plan.rlimits, "--stack=unlimited:unlimited");
	assert_int_equal(f.plan.rlimits.len, 5);
	fixture_close(&f);
}

static void a_terminal_is_the_commands_but_never_sftps(void **state)
{
	static const struct {
		const char *command;
		bool has_terminal;
	} cases[] = { { NULL, true }, { "top", true }, { "internal-sftp", false } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fixture f;

		fixture_open(&f, FIXTURE_WORKSPACE);
		f.request.has_terminal = true;
		fixture_request(&f, cases[i].command);
		fixture_decide(&f);
		assert_int_equal(f.plan.has_terminal, cases[i].has_terminal);
		fixture_close(&f);
	}
}

static void every_reason_has_a_name_and_a_status_of_the_gateways_own(void **state)
{
	(void)state;
	for (int i = REASON_NONE + 1; i <= REASON_LOG; i++) {
		struct plan plan = { .reason = REASON_NONE };

		plan_refuse(&plan, (enum plan_reason)i, "here", NULL);
		assert_true(plan_status(&plan) == 125 || plan_status(&plan) == 126);
		assert_true(strlen(plan_reason_name(plan.reason)) > 0);
		assert_true(strlen(plan.sentence) > 0);
		assert_string_equal(plan.detail, plan.sentence);
		assert_int_equal(plan.grade, GRADE_REFUSED);
	}
}

static void facets_are_named_in_the_ladders_order(void **state)
{
	char text[64];

	(void)state;
	assert_string_equal(facets_text(FACETS_ALL, text, sizeof(text)), "pidns,dev,cgroupns,userns,limits");
	assert_string_equal(facets_text(0, text, sizeof(text)), "-");
	assert_string_equal(facets_text(FACET_LIMITS | FACET_DEV, text, sizeof(text)), "dev,limits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disabled_account_is_refused_with_its_message_before_anything_else),
		cmocka_unit_test(a_key_of_nobody_is_refused_where_actors_are_named),
		cmocka_unit_test(a_refusal_by_rules_tells_the_user_which),
		cmocka_unit_test(a_command_too_long_for_the_kernel_is_refused_saying_so),
		cmocka_unit_test(an_unsafe_tool_is_125_and_named_in_the_log_only),
		cmocka_unit_test(an_unsafe_workspace_is_for_the_log_only),
		cmocka_unit_test(each_lost_facet_gives_partial_where_allowed_and_is_named),
		cmocka_unit_test(limits_are_given_up_only_with_best_effort_and_a_partial_grade),
		cmocka_unit_test(user_namespaces_that_the_profile_allows_are_not_missing),
		cmocka_unit_test(limits_are_asked_for_as_they_are_read_back),
		cmocka_unit_test(by_default_memory_and_tasks_are_limited_and_swap_where_there_is_some),
		cmocka_unit_test(limits_that_read_back_otherwise_refuse_or_grade_down),
		cmocka_unit_test(limits_that_read_back_as_asked_keep_grade_full),
		cmocka_unit_test(an_rlimit_above_the_hard_one_becomes_the_hard_one),
		cmocka_unit_test(a_terminal_is_the_commands_but_never_sftps),
		cmocka_unit_test(every_reason_has_a_name_and_a_status_of_the_gateways_own),
		cmocka_unit_test(facets_are_named_in_the_ladders_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

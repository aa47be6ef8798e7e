/* SPDX-License-Identifier: ISC */
/* The step down after a set-up that failed: what the gateway's own attempts make of it. */
#include "plan.h"

#include <errno.h>

#include "attempt.h"
#include "fixture.h"

static const struct attempt all_work[ATTEMPTS_MAX] = { { 0, 0, "base" }, { FACET_PIDNS, 0, "proc" }, { FACET_DEV, 0, "dev" },
	{ FACET_CGROUPNS, 0, "cgroup" }, { FACET_USERNS, 0, "userns" } };

static bool step(struct fixture *f, size_t which, int errnum)
{
	struct attempt attempts[ATTEMPTS_MAX];

	memcpy(attempts, all_work, sizeof(attempts));
	attempts[which].errnum = errnum;
	return plan_step_down(&f->plan, &f->facts, attempts, ATTEMPTS_MAX, "bwrap: went wrong");
}

static void only_what_the_kernel_forbids_is_lost(void **state)
{
	static const int lost[] = { EPERM, EACCES, EINVAL };

	(void)state;
	for (size_t i = 0; i < COUNT(lost); i++)
		for (size_t which = 1; which < ATTEMPTS_MAX; which++) {
			struct fixture f;

			fixture_run(&f, FIXTURE_WORKSPACE, "make");
			assert_true(step(&f, which, lost[i]));
			assert_int_equal(f.facts.lost, all_work[which].facet);
			assert_non_null(strstr(f.facts.lost_why, all_work[which].how));
			fixture_close(&f);
		}
}

/* A quota that was free again when the attempts came is told as what it is, and one that nothing frees is not. */
static void what_comes_and_goes_is_refused_for_now(void **state)
{
	static const struct {
		bool has_worked;
		int errnum;
		enum plan_reason reason;
	} rows[] = { { true, 0, REASON_BUSY }, { false, ENOSPC, REASON_BUSY }, { false, EAGAIN, REASON_BUSY }, { false, 0, REASON_FENCE },
		{ false, EPERM, REASON_FENCE } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct attempt attempts[] = { { FACET_PIDNS, 0, "x" }, { FACET_DEV, rows[i].errnum, "y" } };
		struct fixture f;

		fixture_run(&f, FIXTURE_WORKSPACE, "make");
		assert_false(step(&f, 0, 0));
		assert_int_equal(f.plan.reason, REASON_FENCE);
		plan_look_again(&f.plan, rows[i].has_worked, attempts, COUNT(attempts));
		assert_int_equal(f.plan.reason, rows[i].reason);
		assert_string_equal(f.plan.detail, "bwrap: went wrong");
		assert_int_equal(f.plan.grade, GRADE_REFUSED);
		fixture_close(&f);
	}
}

static void no_quota_turns_full_into_partial(void **state)
{
	static const int now[] = { ENOSPC, EAGAIN, ENOMEM, EMFILE, ENFILE, EUSERS };

	(void)state;
	for (size_t i = 0; i < COUNT(now); i++)
		for (size_t which = 0; which < ATTEMPTS_MAX; which++) {
			struct fixture f;

			fixture_run(&f, FIXTURE_WORKSPACE, "make");
			assert_false(step(&f, which, now[i]));
			assert_int_equal(f.plan.reason, REASON_BUSY);
			assert_int_equal(f.facts.lost, 0);
			fixture_close(&f);
		}
}

static void an_odd_answer_is_never_a_reason_for_a_lower_grade(void **state)
{
	static const int odd[] = { EIO, ENOENT, EFAULT, ENOSYS, EINTR, EBUSY };

	(void)state;
	for (size_t i = 0; i < COUNT(odd); i++)
		for (size_t which = 0; which < ATTEMPTS_MAX; which++) {
			struct fixture f;

			fixture_run(&f, FIXTURE_WORKSPACE, "make");
			assert_false(step(&f, which, odd[i]));
			assert_int_equal(f.plan.reason, REASON_FENCE);
			assert_int_equal(f.facts.lost, 0);
			fixture_close(&f);
		}
}

static void what_is_never_given_up_is_refused(void **state)
{
	struct fixture f;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE, "make");
	assert_false(step(&f, 0, EPERM));
	assert_int_equal(f.plan.reason, REASON_FENCE);
	assert_int_equal(plan_status(&f.plan), 125);
	fixture_close(&f);
}

static void a_failure_that_no_attempt_explains_is_refused_with_what_the_chain_said(void **state)
{
	struct fixture f;

	(void)state;
	fixture_run(&f, FIXTURE_WORKSPACE, "make");
	assert_false(step(&f, 1, 0));
	assert_int_equal(f.plan.reason, REASON_FENCE);
	assert_string_equal(f.plan.detail, "bwrap: went wrong");
	plan_add_detail(&f.plan, "Out of memory");
	assert_string_equal(f.plan.detail, "bwrap: went wrong: Out of memory");
	plan_add_detail(&f.plan, "");
	assert_string_equal(f.plan.detail, "bwrap: went wrong: Out of memory");
	fixture_close(&f);
}

static void a_facet_given_up_before_is_not_lost_again(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[profile]\nmin_grade = partial\n");
	f.facts.lost = FACET_DEV;
	fixture_decide(&f);
	assert_false(step(&f, 2, EPERM));
	assert_int_equal(f.plan.reason, REASON_FENCE);
	fixture_close(&f);
}

static void a_detail_that_does_not_fit_is_cut(void **state)
{
	struct plan plan = { .reason = REASON_NONE };
	char more[2 * sizeof(plan.detail)];

	(void)state;
	memset(more, 'a', sizeof(more) - 1);
	more[sizeof(more) - 1] = '\0';
	plan_refuse(&plan, REASON_FENCE, "setup", more);
	plan_add_detail(&plan, more);
	assert_int_equal(strlen(plan.detail), sizeof(plan.detail) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_the_kernel_forbids_is_lost),
		cmocka_unit_test(what_comes_and_goes_is_refused_for_now),
		cmocka_unit_test(no_quota_turns_full_into_partial),
		cmocka_unit_test(an_odd_answer_is_never_a_reason_for_a_lower_grade),
		cmocka_unit_test(what_is_never_given_up_is_refused),
		cmocka_unit_test(a_failure_that_no_attempt_explains_is_refused_with_what_the_chain_said),
		cmocka_unit_test(a_facet_given_up_before_is_not_lost_again),
		cmocka_unit_test(a_detail_that_does_not_fit_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

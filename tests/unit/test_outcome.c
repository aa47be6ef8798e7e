/* SPDX-License-Identifier: ISC */
#include "outcome.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct outcome decide(struct outcome_input input)
{
	struct outcome outcome;

	outcome_decide(&outcome, &input);
	return outcome;
}

static void every_exit_status_of_the_command_arrives_as_it_is(void **state)
{
	(void)state;
	for (int code = 0; code < 256; code++) {
		struct outcome outcome = decide((struct outcome_input){ .has_exit_code = true, .exit_code = code });

		assert_int_equal(outcome.exit, code);
		assert_int_equal(outcome.by, BY_PAYLOAD);
		assert_int_equal(outcome.signal, code > 128 && code <= 128 + SIGRTMAX ? code - 128 : 0);
	}
}

static void no_exit_document_means_that_the_fence_ended_and_not_the_command(void **state)
{
	struct outcome outcome = decide((struct outcome_input){ .exit_code = 0 });

	(void)state;
	assert_int_equal(outcome.exit, EXIT_FAILED);
	assert_int_equal(outcome.by, BY_GATEWAY);
	assert_int_equal(outcome.signal, 0);
}

static void limits_of_the_gateway_end_in_124_whatever_the_command_says(void **state)
{
	static const enum outcome_by ended[] = { BY_TIMEOUT, BY_IDLE, BY_OUTPUT, BY_DISK };

	(void)state;
	for (size_t i = 0; i < sizeof(ended) / sizeof(ended[0]); i++) {
		struct outcome outcome = decide((struct outcome_input){ .has_exit_code = true, .exit_code = 0, .by = ended[i] });

		assert_int_equal(outcome.exit, 124);
		assert_int_equal(outcome.by, ended[i]);
		outcome = decide((struct outcome_input){ .by = ended[i] });
		assert_int_equal(outcome.exit, 124);
		assert_int_equal(outcome.signal, SIGKILL);
		assert_int_equal(outcome.by, ended[i]);
	}
}

static void a_run_that_someone_ended_has_the_commands_own_status(void **state)
{
	static const enum outcome_by ended[] = { BY_DISCONNECT, BY_ADMIN };

	(void)state;
	for (size_t i = 0; i < sizeof(ended) / sizeof(ended[0]); i++) {
		struct outcome outcome = decide((struct outcome_input){ .has_exit_code = true, .exit_code = 143, .by = ended[i] });

		assert_int_equal(outcome.exit, 143);
		assert_int_equal(outcome.signal, SIGTERM);
		outcome = decide((struct outcome_input){ .by = ended[i] });
		assert_int_equal(outcome.exit, 137);
		assert_int_equal(outcome.by, ended[i]);
	}
}

static void a_kill_by_memory_is_told_from_any_other(void **state)
{
	(void)state;
	assert_int_equal(decide((struct outcome_input){ .has_exit_code = true, .exit_code = 137, .oom_kills = 1 }).by, BY_OOM);
	assert_int_equal(decide((struct outcome_input){ .has_exit_code = true, .exit_code = 137, .oom_kills = 1 }).exit, 137);
	assert_int_equal(decide((struct outcome_input){ .has_exit_code = true, .exit_code = 137 }).by, BY_PAYLOAD);
	assert_int_equal(decide((struct outcome_input){ .has_exit_code = true, .exit_code = 2, .oom_kills = 1 }).by, BY_PAYLOAD);
	assert_int_equal(decide((struct outcome_input){ .has_exit_code = true, .exit_code = 143, .oom_kills = 1 }).by, BY_PAYLOAD);
	assert_int_equal(decide((struct outcome_input){ .has_exit_code = true, .exit_code = 137, .oom_kills = 1, .by = BY_TIMEOUT }).by, BY_TIMEOUT);
}

static void every_cause_has_the_name_the_log_is_read_by(void **state)
{
	static const char *const names[] = { "payload", "timeout", "idle", "output", "disk", "disconnect", "oom", "admin", "gateway", "lost" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(outcome_by_name((enum outcome_by)i), names[i]);
	assert_string_equal(outcome_by_name((enum outcome_by)(sizeof(names) / sizeof(names[0]))), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_exit_status_of_the_command_arrives_as_it_is),
		cmocka_unit_test(no_exit_document_means_that_the_fence_ended_and_not_the_command),
		cmocka_unit_test(limits_of_the_gateway_end_in_124_whatever_the_command_says),
		cmocka_unit_test(a_run_that_someone_ended_has_the_commands_own_status),
		cmocka_unit_test(a_kill_by_memory_is_told_from_any_other),
		cmocka_unit_test(every_cause_has_the_name_the_log_is_read_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

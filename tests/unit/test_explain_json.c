/* SPDX-License-Identifier: ISC */
/* The forms' whole content is looked at in a bed; here the words that readers rely on. */
#include "explain_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_operation_has_a_word_of_its_own_but_files(void **state)
{
	static const enum plan_op_kind kinds[] = { OP_BIND, OP_RO_BIND, OP_DEV_BIND, OP_SYMLINK, OP_DIR, OP_TMPFS, OP_PROC, OP_DEV, OP_FILE, OP_SEAL };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(explain_op_name(kinds[i]), explain_op_name(kinds[j]));
	assert_string_equal(explain_op_name(OP_DATA), explain_op_name(OP_FILE));
}

static void makes_no_script_of_a_refusal(void **state)
{
	struct decision decision = { .has_profile = false };

	(void)state;
	plan_refuse(&decision.plan, REASON_RULE, "rules", "no");
	assert_int_equal(explain_script(&decision), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_has_a_word_of_its_own_but_files),
		cmocka_unit_test(makes_no_script_of_a_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

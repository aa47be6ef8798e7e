/* SPDX-License-Identifier: ISC */
#include "err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void set_writes_the_sentence_and_returns_minus_errno(void **state)
{
	struct err err = { "" };

	(void)state;
	assert_int_equal(err_set(&err, ENOENT, "no %s in line %d", "key", 3), -ENOENT);
	assert_string_equal(err.text, "no key in line 3");
}

static void set_cuts_a_long_sentence_to_size(void **state)
{
	char text[2 * ERR_TEXT_SIZE];
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(err_set(&err, EINVAL, "%s", text), -EINVAL);
	assert_int_equal(strlen(err.text), ERR_TEXT_SIZE - 1);
}

static void prefixes_stand_outermost_first(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, EINVAL, "not a number");
	err_prefix(&err, "line %d", 12);
	err_prefix(&err, "profile %s", "build");
	assert_string_equal(err.text, "profile build: line 12: not a number");
}

static void prefix_takes_percent_signs_of_the_sentence_as_text(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, EINVAL, "%s", "25%s %n");
	err_prefix(&err, "%s", "%d");
	assert_string_equal(err.text, "%d: 25%s %n");
}

static void prefix_cuts_the_end_where_both_do_not_fit(void **state)
{
	char text[2 * ERR_TEXT_SIZE];
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[ERR_TEXT_SIZE - 10] = '\0';
	err_set(&err, EINVAL, "%s", text);
	err_prefix(&err, "a long prefix");
	assert_int_equal(strlen(err.text), ERR_TEXT_SIZE - 1);
	assert_memory_equal(err.text, "a long prefix: xxx", 18);
	text[ERR_TEXT_SIZE - 10] = 'x';
	text[sizeof(text) - 1] = '\0';
	err_prefix(&err, "%s", text);
	assert_int_equal(strlen(err.text), ERR_TEXT_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_writes_the_sentence_and_returns_minus_errno),
		cmocka_unit_test(set_cuts_a_long_sentence_to_size),
		cmocka_unit_test(prefixes_stand_outermost_first),
		cmocka_unit_test(prefix_takes_percent_signs_of_the_sentence_as_text),
		cmocka_unit_test(prefix_cuts_the_end_where_both_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "strv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void empty_vector_has_no_items_and_finishes(void **state)
{
	_cleanup_strv_ struct strv strv = STRV_INIT;
	struct err err;

	(void)state;
	assert_null(strv.items);
	assert_int_equal(strv_finish(&strv, &err), 0);
	assert_false(strv_contains(&strv, ""));
}

static void words_are_copied_in_order_and_end_in_null(void **state)
{
	static const char *const more[] = { "c", "d", NULL };
	_cleanup_strv_ struct strv strv = STRV_INIT;
	char word[] = "a";

	(void)state;
	strv_add(&strv, word);
	word[0] = 'x';
	strv_addf(&strv, "%s%d", "b", 2);
	strv_add_all(&strv, more);
	strv_take(&strv, strdup("e"));
	assert_int_equal(strv.len, 5);
	assert_string_equal(strv.items[0], "a");
	assert_string_equal(strv.items[1], "b2");
	assert_string_equal(strv.items[2], "c");
	assert_string_equal(strv.items[3], "d");
	assert_string_equal(strv.items[4], "e");
	assert_null(strv.items[5]);
}

static void items_end_in_null_at_every_length(void **state)
{
	_cleanup_strv_ struct strv strv = STRV_INIT;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		strv_addf(&strv, "%zu", i);
		assert_int_equal(strv.len, i + 1);
		assert_null(strv.items[i + 1]);
		assert_true(strv.len < strv.room);
	}
	assert_string_equal(strv.items[999], "999");
}

static void contains_compares_whole_words(void **state)
{
	_cleanup_strv_ struct strv strv = STRV_INIT;

	(void)state;
	strv_add(&strv, "make");
	assert_true(strv_contains(&strv, "make"));
	assert_false(strv_contains(&strv, "mak"));
	assert_false(strv_contains(&strv, "maker"));
	assert_false(strv_contains(&strv, ""));
}

static void copy_replaces_and_shares_nothing(void **state)
{
	_cleanup_strv_ struct strv source = STRV_INIT, target = STRV_INIT;

	(void)state;
	strv_add(&source, "new");
	strv_add(&target, "old");
	strv_add(&target, "older");
	assert_int_equal(strv_copy(&target, &source), 0);
	strv_release(&source);
	assert_int_equal(target.len, 1);
	assert_string_equal(target.items[0], "new");
}

static void extend_appends_copies(void **state)
{
	_cleanup_strv_ struct strv strv = STRV_INIT, other = STRV_INIT;

	(void)state;
	strv_add(&strv, "a");
	strv_add(&other, "b");
	strv_extend(&strv, &other);
	assert_int_equal(strv.len, 2);
	assert_string_equal(strv.items[1], "b");
	assert_ptr_not_equal(strv.items[1], other.items[0]);
}

static void failed_addition_sticks_and_is_reported_once(void **state)
{
	_cleanup_strv_ struct strv strv = STRV_INIT, heir = STRV_INIT;
	struct err err;

	(void)state;
	strv_add(&strv, "a");
	strv_take(&strv, NULL);
	strv_add(&strv, "b");
	assert_int_equal(strv.len, 1);
	assert_int_equal(strv_finish(&strv, &err), -ENOMEM);
	assert_string_equal(err.text, "out of memory");
	strv_extend(&heir, &strv);
	assert_int_equal(strv_finish(&heir, &err), -ENOMEM);
	assert_int_equal(strv_copy(&heir, &strv), -ENOMEM);
}

static void released_vector_can_be_used_again(void **state)
{
	_cleanup_strv_ struct strv strv = STRV_INIT;
	struct err err;

	(void)state;
	strv_take(&strv, NULL);
	strv_release(&strv);
	strv_add(&strv, "a");
	assert_int_equal(strv_finish(&strv, &err), 0);
	assert_string_equal(strv.items[0], "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_vector_has_no_items_and_finishes),
		cmocka_unit_test(words_are_copied_in_order_and_end_in_null),
		cmocka_unit_test(items_end_in_null_at_every_length),
		cmocka_unit_test(contains_compares_whole_words),
		cmocka_unit_test(copy_replaces_and_shares_nothing),
		cmocka_unit_test(extend_appends_copies),
		cmocka_unit_test(failed_addition_sticks_and_is_reported_once),
		cmocka_unit_test(released_vector_can_be_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

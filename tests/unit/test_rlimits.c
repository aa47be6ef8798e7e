/* SPDX-License-Identifier: ISC */
#include "rlimits.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static const struct limit_row *row(const char *name)
{
	int index = limits_find(name);

	assert_true(index >= 0);
	return &limits_table[index];
}

static void assert_value(const char *name, const char *text, uint64_t expected)
{
	struct err err = { "" };
	uint64_t value = 77;

	if (limits_parse(row(name), text, &value, &err))
		fail_msg("%s = %s: %s", name, text, err.text);
	if (value != expected)
		fail_msg("%s = %s: read as %llu", name, text, (unsigned long long)value);
}

static void assert_refuses(const char *name, const char *text)
{
	struct err err = { "" };
	uint64_t value;

	assert_int_equal(limits_parse(row(name), text, &value, &err), -EINVAL);
	if (!strstr(err.text, text) || !strstr(err.text, "accepted are"))
		fail_msg("%s = %s: %s", name, text, err.text);
}

static void every_resource_of_linux_has_one_row(void **state)
{
	bool is_seen[RLIM_NLIMITS] = { false };

	(void)state;
	assert_int_equal(LIMITS_COUNT, RLIM_NLIMITS);
	for (size_t i = 0; i < LIMITS_COUNT; i++) {
		assert_in_range(limits_table[i].resource, 0, RLIM_NLIMITS - 1);
		assert_false(is_seen[limits_table[i].resource]);
		is_seen[limits_table[i].resource] = true;
	}
}

static void names_are_found_whole_only(void **state)
{
	(void)state;
	for (int i = 0; i < LIMITS_COUNT; i++)
		assert_int_equal(limits_find(limits_table[i].name), i);
	assert_int_equal(limits_table[limits_find("nofile")].resource, RLIMIT_NOFILE);
	assert_int_equal(limits_table[limits_find("as")].resource, RLIMIT_AS);
	assert_int_equal(limits_table[limits_find("core")].resource, RLIMIT_CORE);
	assert_int_equal(limits_find("nofil"), -1);
	assert_int_equal(limits_find("nofiles"), -1);
	assert_int_equal(limits_find("NOFILE"), -1);
	assert_int_equal(limits_find(""), -1);
}

static void each_unit_reads_its_own_form(void **state)
{
	(void)state;
	assert_value("fsize", "64M", 64ull << 20);
	assert_value("fsize", "0", 0);
	assert_value("cpu", "10m", 600);
	assert_value("cpu", "90", 90);
	assert_value("nofile", "4096", 4096);
	assert_value("nproc", "0", 0);
}

static void unlimited_is_taken_by_every_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < LIMITS_COUNT; i++)
		assert_value(limits_table[i].name, "unlimited", LIMIT_UNLIMITED);
}

static void another_units_form_is_refused_with_what_is_accepted(void **state)
{
	(void)state;
	assert_refuses("fsize", "25%");
	assert_refuses("fsize", "10m");
	assert_refuses("fsize", "-1");
	assert_refuses("cpu", "64M");
	assert_refuses("nofile", "4k6");
	assert_refuses("nofile", "64M");
	assert_refuses("nofile", "-1");
	assert_refuses("nofile", " 5");
	assert_refuses("nofile", "Unlimited");
}

static void no_number_reads_as_unset_or_unlimited(void **state)
{
	(void)state;
	assert_refuses("nofile", "18446744073709551615");
	assert_refuses("nofile", "18446744073709551614");
	assert_refuses("fsize", "18446744073709551615");
	assert_refuses("fsize", "18446744073709551614");
	assert_refuses("cpu", "18446744073709551615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_resource_of_linux_has_one_row),
		cmocka_unit_test(names_are_found_whole_only),
		cmocka_unit_test(each_unit_reads_its_own_form),
		cmocka_unit_test(unlimited_is_taken_by_every_row),
		cmocka_unit_test(another_units_form_is_refused_with_what_is_accepted),
		cmocka_unit_test(no_number_reads_as_unset_or_unlimited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

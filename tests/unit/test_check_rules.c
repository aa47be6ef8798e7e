/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"
#include "words.h"

static bool covers(const char *first, const char *second)
{
	_cleanup_strv_ struct strv a = STRV_INIT;
	_cleanup_strv_ struct strv b = STRV_INIT;
	struct err err;

	assert_int_equal(words_split(first, WORDS_LIST, &a, &err), 0);
	assert_int_equal(words_split(second, WORDS_LIST, &b, &err), 0);
	return check_rule_covers(&a, &b);
}

static void a_rule_covers_what_matches_no_more_than_it(void **state)
{
	(void)state;
	assert_true(covers("make ...", "make"));
	assert_true(covers("make ...", "make all"));
	assert_true(covers("make ...", "make -j8 ..."));
	assert_true(covers("...", "anything ..."));
	assert_true(covers("* all", "make all"));
	assert_true(covers("m?ke", "make"));
	assert_true(covers("git *", "git *.git"));
}

static void a_rule_does_not_cover_what_matches_more(void **state)
{
	(void)state;
	assert_false(covers("make", "make ..."));
	assert_false(covers("make all", "make"));
	assert_false(covers("make -j8 ...", "make ..."));
	assert_false(covers("a?", "a*"));
	assert_false(covers("[ab]", "[abc]"));
	assert_false(covers("make *", "make ..."));
}

static void names_the_rule_that_stands_before(void **state)
{
	struct check check;

	check_open(&check, *state);
	check_profile_text(&check, FIXTURE_WORKSPACE "[allow]\nall = make ...\none = make one\nls = ls\n[deny]\nevil = ls ...\n");
	check_rules(&check);
	assert_int_equal(check_count(&check, CHECK_RULE_SHADOWED), 2);
	assert_has(check.findings[0].where, "build.ini:5: [allow] one");
	assert_has(check.findings[0].what, "[allow] all");
	assert_has(check.findings[1].what, "[deny] evil");
	assert_string_equal(check.findings[1].cure, "sed -i '6s/^/#/' /etc/stockade/profiles/build.ini");
	check_release(&check);
}

static void names_a_setuid_program_by_the_profiles_path(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	temp_dir(temp, "usr/local/bin");
	temp_dir(temp, "usr/bin");
	temp_file(temp, "usr/bin/su", "", 04755);
	temp_file(temp, "usr/bin/both", "", 04755);
	temp_file(temp, "usr/local/bin/both", "", 0755);
	check_open(&check, temp);
	check_profile_text(&check, FIXTURE_WORKSPACE "[allow]\na = su ...\nb = both\nc = /usr/bin/both\nd = s*\ne = none\nf = ./here\ng = /nonexistent\n[menu]\nbecome = \"su -\"\n");
	check_rules(&check);
	assert_int_equal(check_count(&check, CHECK_RULE_SETUID), 3);
	assert_has(check.findings[0].where, "[allow] a");
	assert_has(check.findings[1].where, "[allow] c");
	assert_int_equal(check.findings[2].id, CHECK_RULE_ABSENT);
	assert_has(check.findings[2].where, "[allow] e");
	assert_has(check.findings[3].where, "[menu] become");
	assert_int_equal(check.len, 4);
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_covers_what_matches_no_more_than_it),
		cmocka_unit_test(a_rule_does_not_cover_what_matches_more),
		temp_test(names_the_rule_that_stands_before),
		temp_test(names_a_setuid_program_by_the_profiles_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

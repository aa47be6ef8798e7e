/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

static void every_name_is_its_own_and_of_small_letters(void **state)
{
	(void)state;
	for (size_t i = 0; i < CHECK_COUNT; i++) {
		assert_int_equal(strspn(check_table[i].name, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(check_table[i].name));
		assert_true(*check_table[i].meaning);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(check_table[i].name, check_table[j].name);
	}
}

static void a_finding_takes_its_severity_from_the_table(void **state)
{
	struct check check;

	check_open(&check, *state);
	check_cure(check_add(&check, CHECK_SSHD_TUNNEL, "here", "%d things", 2), "do %s", "this");
	check_add(&check, CHECK_PAM_ORDER, "there", "x");
	assert_int_equal(check.len, 2);
	assert_int_equal(check.findings[0].severity, CHECK_ERROR);
	assert_int_equal(check.findings[1].severity, CHECK_WARNING);
	assert_string_equal(check.findings[0].user, "build");
	assert_string_equal(check.findings[0].what, "2 things");
	assert_string_equal(check.findings[0].cure, "do this");
	check_release(&check);
}

static void reads_below_its_root_only_what_is_a_file(void **state)
{
	const struct temp *temp = *state;
	struct check check;
	char *text;

	check_open(&check, temp);
	temp_dir(temp, "etc/x");
	temp_file(temp, "etc/y", "one\ntwo", 0600);
	assert_null(check_read(&check, "/etc/x"));
	assert_null(check_read(&check, "/etc/z"));
	text = check_read(&check, "/etc/y");
	assert_string_equal(text, "one\ntwo");
	free(text);
	assert_true(check_exists(&check, "/etc/x"));
	assert_false(check_exists(&check, "/etc/z"));
	check_release(&check);
}

static void add_up(void *data, unsigned number, char *line)
{
	char *out = data;

	snprintf(out + strlen(out), 64, "%u=%s;", number, line);
}

static void counts_lines_also_the_last_without_a_newline(void **state)
{
	char text[] = "a\n\nb", out[128] = "";

	(void)state;
	check_lines(text, add_up, out);
	assert_string_equal(out, "1=a;2=;3=b;");
	check_lines(NULL, add_up, out);
}

static void runs_a_program_without_an_environment(void **state)
{
	const char *env[] = { "/usr/bin/env", NULL }, *none[] = { "/nonexistent", NULL };
	char text[256];

	(void)state;
	assert_int_equal(check_run(env, text, sizeof(text)), 0);
	assert_string_equal(text, "PATH=/usr/sbin:/usr/bin:/sbin:/bin\n");
	assert_int_equal(check_run(none, text, sizeof(text)), 127);
}

static void what_is_too_long_is_no_part_of_a_command(void **state)
{
	static char word[CHECK_CURE_MAX + 1];
	struct check_finding finding = { .cure = "" };
	char out[32];

	(void)state;
	memset(word, 'a', sizeof(word) - 1);
	assert_string_equal(check_quote(out, sizeof(out), word), "'/a name too long to print'");
	memset(word, '\'', sizeof(word) - 1);
	assert_string_equal(check_quote(out, sizeof(out), word), "'/a name too long to print'");
	memset(word, '\x1b', sizeof(word) - 1);
	assert_string_equal(check_quote(out, sizeof(out), word), "'/a name too long to print'");
	check_cure(&finding, "rm %s", "x");
	assert_string_equal(finding.cure, "rm x");
	check_cure(&finding, "rm %s", word);
	assert_string_equal(finding.cure, "# a name in the command is too long to print");
}

static void quotes_for_a_shell(void **state)
{
	char out[64];

	(void)state;
	assert_string_equal(check_quote(out, sizeof(out), "/srv/work"), "/srv/work");
	assert_string_equal(check_quote(out, sizeof(out), "/it's $(id)"), "'/it'\\''s $(id)'");
	assert_string_equal(check_quote(out, sizeof(out), "/a\tb'\\\xff"), "$'/a\\x09b\\x27\\x5c\\xff'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_its_own_and_of_small_letters),
		temp_test(a_finding_takes_its_severity_from_the_table),
		temp_test(reads_below_its_root_only_what_is_a_file),
		cmocka_unit_test(counts_lines_also_the_last_without_a_newline),
		cmocka_unit_test(runs_a_program_without_an_environment),
		cmocka_unit_test(what_is_too_long_is_no_part_of_a_command),
		cmocka_unit_test(quotes_for_a_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

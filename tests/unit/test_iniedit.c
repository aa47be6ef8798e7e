/* SPDX-License-Identifier: ISC */
/* What is written must be what ini_parse() reads. */
#include "iniedit.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ini.h"

static void assert_set(const char *text, const char *section, const char *key, const char *value, const char *expected)
{
	struct err err = { "" };
	char *result = iniedit_set(text, section, key, value, &err);

	if (!result)
		fail_msg("%s", err.text);
	assert_string_equal(result, expected);
	free(result);
}

/* The value of the key, or NULL; the text must be one that the gateway reads. */
static char *read_back(const char *text, const char *section, const char *key)
{
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	struct err err = { "" };
	char *value = NULL;

	if (ini_parse("edited", text, strlen(text), &rows, &err))
		fail_msg("%s\n%s", err.text, text);
	for (size_t i = 0; i < rows.len; i++)
		if (strcmp(rows.items[i].section, section) == 0 && strcmp(rows.items[i].key, key) == 0)
			value = strdup(rows.items[i].value);
	return value;
}

static const char full[] =
	"# of the whole file\n"
	"[workspace]\n"
	"path = /srv/build  \n"
	"\n"
	"; of the profile\n"
	"[profile]\n"
	"\tenabled = yes\n"
	"# enabled = no\n"
	"message = \"a; b\"\n"
	"[env]\n"
	"enabled = 1\n";

static void a_key_goes_below_its_section_and_all_else_stays(void **state)
{
	(void)state;
	assert_set(full, "profile", "min_grade", "full",
		"# of the whole file\n[workspace]\npath = /srv/build  \n\n; of the profile\n[profile]\nmin_grade = full\n\tenabled = yes\n"
		"# enabled = no\nmessage = \"a; b\"\n[env]\nenabled = 1\n");
}

static void a_key_that_is_there_is_replaced_in_its_own_section_only(void **state)
{
	(void)state;
	assert_set(full, "profile", "enabled", "no",
		"# of the whole file\n[workspace]\npath = /srv/build  \n\n; of the profile\n[profile]\nenabled = no\n"
		"# enabled = no\nmessage = \"a; b\"\n[env]\nenabled = 1\n");
	assert_set("[a]\nk=1\nk2=2\nkk = 3\nk\t =4\n", "a", "k", "5", "[a]\nk = 5\nk2=2\nkk = 3\n");
	assert_set("[a]\nk = 1\n[a]\nk = 2\n", "a", "k", "3", "[a]\nk = 3\n[a]\n");
}

static void a_section_that_is_not_there_goes_to_the_end(void **state)
{
	(void)state;
	assert_set("", "profile", "enabled", "no", "[profile]\nenabled = no\n");
	assert_set("# only a comment", "profile", "enabled", "no", "# only a comment\n[profile]\nenabled = no\n");
	assert_set("[profile2]\na = b", "profile", "enabled", "no", "[profile2]\na = b\n[profile]\nenabled = no\n");
	assert_set("#[profile]\n", "profile", "enabled", "no", "#[profile]\n[profile]\nenabled = no\n");
}

static void no_value_takes_the_key_out_and_leaves_the_rest(void **state)
{
	(void)state;
	assert_set(full, "profile", "message", NULL,
		"# of the whole file\n[workspace]\npath = /srv/build  \n\n; of the profile\n[profile]\n\tenabled = yes\n# enabled = no\n[env]\nenabled = 1\n");
	assert_set(full, "profile", "nothing", NULL, full);
	assert_set(full, "nothing", "enabled", NULL, full);
	assert_set("", "profile", "enabled", NULL, "");
}

static void the_same_twice_is_the_same_as_once(void **state)
{
	static const char *const values[] = { "no", "a;b", " blank", "blank ", NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char *once = iniedit_set(full, "profile", "message", values[i], &(struct err){ "" });

		assert_non_null(once);
		assert_set(once, "profile", "message", values[i], once);
		free(once);
	}
}

static void what_was_set_and_taken_out_again_leaves_no_trace(void **state)
{
	char *set = iniedit_set(full, "env", "set", "A=b", &(struct err){ "" });

	(void)state;
	assert_non_null(set);
	assert_set(set, "env", "set", NULL, full);
	free(set);
}

static void every_value_is_read_back_as_it_was_given(void **state)
{
	static const char *const values[] = { "no", "/srv/a b/c", "a;b", "#", ";", "a # b", " leading", "trailing ", " ", "  both  ", "a=b", "=", "[section]", "]",
		"[", "%u %% $HOME `x`", "gr\xc3\xbc\xc3\x9f", "\xff\xfe", "SHA256:abc+/= SHA256:def:alice", "key = value", "!", "-" };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct err err = { "" };
		char *text = iniedit_set(full, "profile", "message", values[i], &err), *value;

		if (!text)
			fail_msg("\"%s\": %s", values[i], err.text);
		value = read_back(text, "profile", "message");
		if (!value || strcmp(value, values[i]) != 0)
			fail_msg("\"%s\" is read as \"%s\"", values[i], value ? value : "(nothing)");
		free(value);
		value = read_back(text, "env", "enabled");
		assert_string_equal(value, "1");
		free(value);
		free(text);
	}
}

static void every_byte_is_read_back_or_refused(void **state)
{
	(void)state;
	for (int byte = 1; byte < 256; byte++)
		for (int place = 0; place < 3; place++) {
			char given[4] = "aaa", *text, *value;
			struct err err = { "" };

			given[place] = (char)byte;
			text = iniedit_set("[s]\n", "s", "k", given, &err);
			if (!text) {
				assert_true(byte < ' ' || byte == 0x7f || byte == '"' || byte == '\'' || byte == '\\');
				assert_non_null(strstr(err.text, "k: cannot be written"));
				continue;
			}
			value = read_back(text, "s", "k");
			assert_string_equal(value, given);
			free(value);
			free(text);
		}
}

static void no_second_line_or_section_can_be_brought_in_by_a_value(void **state)
{
	static const char *const values[] = { "a\nenabled = yes", "\n[allow]\nall = *", "a\r", "\n", "a\tb", "\x1b[2J", "\"", "a\" # b", "it's", "a\\", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct err err = { "" };

		assert_null(iniedit_set(full, "profile", "message", values[i], &err));
		assert_true(err.text[0]);
	}
}

static void a_value_longer_than_a_line_is_refused_and_the_longest_is_read_back(void **state)
{
	char value[901], *text, *back;

	(void)state;
	memset(value, ';', sizeof(value));
	value[900] = '\0';
	assert_null(iniedit_set("", "s", "k", value, &(struct err){ "" }));
	value[899] = '\0';
	text = iniedit_set("", "s", "k", value, &(struct err){ "" });
	assert_non_null(text);
	back = read_back(text, "s", "k");
	assert_string_equal(back, value);
	free(back);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_goes_below_its_section_and_all_else_stays),
		cmocka_unit_test(a_key_that_is_there_is_replaced_in_its_own_section_only),
		cmocka_unit_test(a_section_that_is_not_there_goes_to_the_end),
		cmocka_unit_test(no_value_takes_the_key_out_and_leaves_the_rest),
		cmocka_unit_test(the_same_twice_is_the_same_as_once),
		cmocka_unit_test(what_was_set_and_taken_out_again_leaves_no_trace),
		cmocka_unit_test(every_value_is_read_back_as_it_was_given),
		cmocka_unit_test(every_byte_is_read_back_or_refused),
		cmocka_unit_test(no_second_line_or_section_can_be_brought_in_by_a_value),
		cmocka_unit_test(a_value_longer_than_a_line_is_refused_and_the_longest_is_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

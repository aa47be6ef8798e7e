/* SPDX-License-Identifier: ISC */
#include "ini.h"

#include <errno.h>
#include <fcntl.h>
#include <iniparser/iniparser.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *value_of(const struct ini_rows *rows, const char *section, const char *key)
{
	for (size_t i = 0; i < rows->len; i++)
		if (strcmp(rows->items[i].section, section) == 0 && strcmp(rows->items[i].key, key) == 0)
			return rows->items[i].value;
	return NULL;
}

static void assert_value(const char *text, const char *expected)
{
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	struct err err = { "" };

	assert_int_equal(ini_parse("p.ini", text, strlen(text), &rows, &err), 0);
	assert_int_equal(rows.len, 1);
	assert_string_equal(rows.items[0].value, expected);
}

static void assert_refuses(const char *text, size_t len, unsigned line, const char *cause)
{
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	struct err err = { "" };
	char place[32];

	snprintf(place, sizeof(place), "p.ini:%u: ", line);
	if (ini_parse("p.ini", text, len, &rows, &err) != -EINVAL)
		fail_msg("not refused: %s", text);
	if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, cause))
		fail_msg("wanted %s... %s, got: %s", place, cause, err.text);
	for (const char *at = err.text; *at; at++)
		assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
	assert_int_equal(rows.len, 0);
	assert_null(rows.name);
}

static void rows_come_in_the_order_of_the_file_with_their_lines(void **state)
{
	static const char text[] = "# first\n\n[workspace]\n  path = /srv/build\n\taccess=\twrite \n; x\n[env]\nset = \"A=b C=d\"\n"
				   "[workspace]\nalso =\n[limits]\nnofile = 4096";
	static const struct ini_row expected[] = {
		{ (char *)"workspace", (char *)"path", (char *)"/srv/build", 4 },
		{ (char *)"workspace", (char *)"access", (char *)"write", 5 },
		{ (char *)"env", (char *)"set", (char *)"A=b C=d", 8 },
		{ (char *)"workspace", (char *)"also", (char *)"", 10 },
		{ (char *)"limits", (char *)"nofile", (char *)"4096", 12 },
	};
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	struct err err;

	(void)state;
	assert_int_equal(ini_parse("p.ini", text, strlen(text), &rows, &err), 0);
	assert_string_equal(rows.name, "p.ini");
	assert_int_equal(rows.len, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++) {
		assert_string_equal(rows.items[i].section, expected[i].section);
		assert_string_equal(rows.items[i].key, expected[i].key);
		assert_string_equal(rows.items[i].value, expected[i].value);
		assert_int_equal(rows.items[i].line, expected[i].line);
	}
}

static void values_are_what_is_written(void **state)
{
	static const char *const cases[][2] = {
		{ "k =", "" },
		{ "k = ", "" },
		{ "k=\"\"", "" },
		{ "k = ''", "" },
		{ "k = ' '", " " },
		{ "k = \" a ; # b \"  ", " a ; # b " },
		{ "k = 'say \"x\" now'", "say \"x\" now" },
		{ "k = '\"'", "\"" },
		{ "k = '\"\"'", "\"\"" },
		{ "k = a \"b c\" 'd'", "a \"b c\" 'd'" },
		{ "k = a=b = c", "a=b = c" },
		{ "k = = x", "= x" },
		{ "k ==", "=" },
		{ "k = [x]", "[x]" },
		{ "k = a\tb", "a\tb" },
		{ "k = a\\b", "a\\b" },
		{ "k = %u %%", "%u %%" },
		{ "k = gr\xc3\xbc\xc3\x9f \xff", "gr\xc3\xbc\xc3\x9f \xff" },
		{ "k.a-b_0 = 1", "1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[128];

		snprintf(text, sizeof(text), "[s]\n%s", cases[i][0]);
		assert_value(text, cases[i][1]);
		snprintf(text, sizeof(text), "[s]\n%s\n", cases[i][0]);
		assert_value(text, cases[i][1]);
	}
}

/* Each stands on line 4 of a file that is valid without it. */
static void nasty_lines_are_refused_with_their_number(void **state)
{
	static const char *const cases[][2] = {
		{ "path = /srv ; x", "\";\" outside quotes" },
		{ "path = /srv # x", "\"#\" outside quotes" },
		{ "path = ;", "\";\" outside quotes" },
		{ "path = a;b", "\";\" outside quotes" },
		{ "path = \"a\" b", "goes on after its closing quote" },
		{ "path = \"a\" ; x", "goes on after its closing quote" },
		{ "path = \"a\"\"b\"", "goes on after its closing quote" },
		{ "path = 'a' 'b'", "goes on after its closing quote" },
		{ "path = \"a\" \"b\"", "goes on after its closing quote" },
		{ "path = 'a';", "goes on after its closing quote" },
		{ "path = \"", "not closed" },
		{ "path = '", "not closed" },
		{ "path = \"a", "not closed" },
		{ "path = \"a'", "not closed" },
		{ "path = 'it", "not closed" },
		{ "path = a \\\" b", "\\\" in a value" },
		{ "path = \"a \\\" b\"", "\\\" in a value" },
		{ "path = \"a \\\"", "\\\" in a value" },
		{ "path = \"a\\;b\"", "backslash inside quotes" },
		{ "path = 'a\\b'", "backslash inside quotes" },
		{ "path = a \\", "backslash at the end" },
		{ "path = a \\ \t", "backslash at the end" },
		{ "# comment \\", "backslash at the end" },
		{ "; \\", "backslash at the end" },
		{ "\\", "backslash at the end" },
		{ "[b] \\", "backslash at the end" },
		{ "Path = x", "upper case in a key name \"Path\"" },
		{ "pATH = x", "upper case" },
		{ "[View]", "upper case in a section name \"View\"" },
		{ "path x", "no \"=\"" },
		{ "path", "no \"=\"" },
		{ "x", "no \"=\"" },
		{ "= x", "not a key name" },
		{ ".a = x", "not a key name" },
		{ "-a = x", "not a key name" },
		{ "a b = x", "not a key name" },
		{ "a:b = x", "not a key name" },
		{ "a/b = x", "not a key name" },
		{ "\"a\" = x", "not a key name" },
		{ "a; = x", "not a key name" },
		{ "\xc3\xa4 = x", "not a key name" },
		{ "[]", "not a section name" },
		{ "[ ]", "not a section name" },
		{ "[ b ]", "not a section name" },
		{ "[a:b]", "not a section name" },
		{ "[a b]", "not a section name" },
		{ "[.a]", "not a section name" },
		{ "[[b]", "not a section name" },
		{ "[b", "no \"]\"" },
		{ "[", "no \"]\"" },
		{ "[b] x", "text after \"]\"" },
		{ "[b] ; x", "text after \"]\"" },
		{ "[b]]", "text after \"]\"" },
		{ "[b]c = d", "text after \"]\"" },
		{ "[b] = ]", "text after \"]\"" },
		{ "access = read", "[a] access: given twice, first on line 2" },
		{ "a = b\r", "CRLF" },
		{ "\r", "CRLF" },
		{ "a = b\rc", "control byte \\x0d" },
		{ "a = \x1b[31m", "control byte \\x1b" },
		{ "# \x1b", "control byte \\x1b" },
		{ "a = \x7f", "control byte \\x7f" },
		{ "a = b\v", "control byte \\x0b" },
		{ "\f", "control byte \\x0c" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[256];

		snprintf(text, sizeof(text), "[a]\naccess = write\n\n%s\n[z]\nlast = 1\n", cases[i][0]);
		assert_refuses(text, strlen(text), 4, cases[i][1]);
		snprintf(text, sizeof(text), "[a]\naccess = write\n\n%s", cases[i][0]);
		assert_refuses(text, strlen(text), 4, cases[i][1]);
	}
}

static void sentence_names_section_and_key_and_what_is_accepted(void **state)
{
	static const char text[] = "[a]\nb = x ; y\n";
	struct ini_rows rows;
	struct err err;

	(void)state;
	assert_int_equal(ini_parse("/etc/stockade/p.ini", text, strlen(text), &rows, &err), -EINVAL);
	assert_string_equal(err.text, "/etc/stockade/p.ini:2: [a] b: \";\" outside quotes, accepted: one pair of quotes "
				      "around the whole value, without a backslash inside");
}

static void nul_byte_is_refused(void **state)
{
	(void)state;
	assert_refuses("[a]\nb = x\0y\n", 12, 2, "control byte \\x00");
	assert_refuses("[a]\nb = x\n\0", 11, 3, "control byte \\x00");
	assert_refuses("\0", 1, 1, "control byte \\x00");
}

static void byte_order_mark_is_refused_by_name(void **state)
{
	(void)state;
	assert_refuses("\xef\xbb\xbf[a]\nb = c\n", 13, 1, "byte order mark");
}

static void key_before_any_section_is_refused(void **state)
{
	(void)state;
	assert_refuses("# x\na = b\n[s]\n", 14, 2, "a: key before any section");
}

static void duplicates_are_found_across_sections_that_are_opened_again(void **state)
{
	static const char text[] = "[a]\nx = 1\ny = 1\n[b]\nx = 2\n[a]\ny = 3\nx = 3\n";

	(void)state;
	assert_refuses(text, strlen(text), 7, "[a] y: given twice, first on line 3");
}

static void empty_file_has_no_rows(void **state)
{
	static const char *const texts[] = { "", "\n", "# x", "[a]", "[a]\n[b]\n[a]\n", " \t\n\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
		struct err err = { "" };

		assert_int_equal(ini_parse("p.ini", texts[i], strlen(texts[i]), &rows, &err), 0);
		assert_int_equal(rows.len, 0);
	}
}

static void longest_line_is_read_and_a_longer_one_refused(void **state)
{
	char text[2048] = "[a]\nk = ";
	size_t start = 4;

	(void)state;
	for (int has_newline = 0; has_newline < 2; has_newline++) {
		_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
		struct err err = { "" };

		memset(text + 8, 'x', sizeof(text) - 8);
		text[start + INI_LINE_MAX - 1] = has_newline ? '\n' : '\0';
		assert_int_equal(ini_parse("p.ini", text, start + INI_LINE_MAX - 1 + (size_t)has_newline, &rows, &err), 0);
		assert_int_equal(strlen(value_of(&rows, "a", "k")), INI_LINE_MAX - 1 - 4);
		text[start + INI_LINE_MAX - 1] = 'x';
		text[start + INI_LINE_MAX] = has_newline ? '\n' : '\0';
		assert_refuses(text, start + INI_LINE_MAX + (size_t)has_newline, 2, "line of 1023 bytes");
		text[start + INI_LINE_MAX] = 'x';
		text[start + INI_LINE_MAX + 1] = '\0';
		assert_refuses(text, start + INI_LINE_MAX + 1, 2, "line of 1024 bytes");
	}
}

static void longest_section_and_key_names_are_read_and_longer_ones_refused(void **state)
{
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	struct err err = { "" };
	char text[600], name[257];

	(void)state;
	memset(name, 'n', 256);
	name[256] = '\0';
	snprintf(text, sizeof(text), "[%.255s]\n%.255s = 1\n", name, name);
	assert_int_equal(ini_parse("p.ini", text, strlen(text), &rows, &err), 0);
	assert_string_equal(rows.items[0].value, "1");
	snprintf(text, sizeof(text), "[a]\n%s = 1\n", name);
	assert_refuses(text, strlen(text), 2, "not a key name");
	snprintf(text, sizeof(text), "\n[%s]\n", name);
	assert_refuses(text, strlen(text), 2, "not a section name");
}

static void file_over_the_limit_is_refused(void **state)
{
	char *text = malloc(INI_FILE_MAX + 1);

	(void)state;
	assert_non_null(text);
	memset(text, '\n', INI_FILE_MAX + 1);
	assert_refuses(text, INI_FILE_MAX + 1, 1, "accepted: up to 1048576");
	free(text);
}

static void read_takes_a_descriptor_from_its_start_and_leaves_it_open(void **state)
{
	static const char text[] = "[a]\nb = c\n";
	int fd = memfd_create("test", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	for (int round = 0; round < 2; round++) {
		_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
		struct err err;

		assert_int_equal(ini_read("p.ini", fd, &rows, &err), 0);
		assert_string_equal(value_of(&rows, "a", "b"), "c");
	}
	assert_int_equal(lseek(fd, 0, SEEK_CUR), strlen(text));
	close(fd);
}

static void read_refuses_what_is_not_a_regular_file(void **state)
{
	struct ini_rows rows;
	struct err err;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(ini_read("p.ini", fd, &rows, &err), -EINVAL);
	assert_string_equal(err.text, "p.ini: not a regular file");
	close(fd);
	assert_int_equal(ini_read("p.ini", -1, &rows, &err), -EBADF);
}

static int lowest_free_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void no_descriptor_is_left_open(void **state)
{
	struct ini_rows rows;
	struct err err;
	int before = lowest_free_fd();

	(void)state;
	assert_int_equal(ini_parse("p.ini", "[a]\nb=c\n", 8, &rows, &err), 0);
	ini_rows_release(&rows);
	assert_int_equal(ini_parse("p.ini", "[a]\nb=;\n", 8, &rows, &err), -EINVAL);
	assert_int_equal(lowest_free_fd(), before);
}

static size_t random_line(char *out)
{
	static const char *const pieces[] = { "a", "b", "key", "=", " = ", "\"", "'", ";", "#", "\\", " ", "\t", "[", "]",
					      "[s]", "value", "\"x y\"", "'z'", "\"\"", "''", ".", "-", ":", "%", "A", "\xc3\xa4",
					      "\xff", "\x01", "\r", "k = \"", "k = '", "a = ", "b = ", "c = x" };
	size_t count = (size_t)random() % 6, len = 0;

	/* Half of the lines begin well, or hardly a file would be accepted. */
	if (random() % 4 == 0)
		len += (size_t)sprintf(out + len, "[%c]", (int)('a' + random() % 3));
	else if (random() % 8)
		len += (size_t)sprintf(out + len, "%c%d = ", (int)('a' + random() % 26), (int)(random() % 100));
	if (random() % 3 == 0 || (len && out[0] == '['))
		count = 0;
	for (size_t i = 0; i < count; i++)
		len += (size_t)sprintf(out + len, "%s", pieces[(size_t)random() % COUNT(pieces)]);
	if (random() % 40 == 0)
		out[len++] = (char)random();
	out[len++] = '\n';
	return len;
}

static int be_silent(const char *format, ...)
{
	(void)format;
	return 0;
}

static dictionary *iniparser_reads(const char *text, size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	char path[64];
	dictionary *dict;

	assert_int_equal(write(fd, text, len), len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	iniparser_set_error_callback(be_silent);
	dict = iniparser_load(path);
	iniparser_set_error_callback(NULL);
	close(fd);
	return dict;
}

static void assert_equal_readings(const struct ini_rows *rows, const char *text, size_t len)
{
	dictionary *dict = iniparser_reads(text, len);
	size_t keys = 0;

	assert_non_null(dict);
	for (int i = 0; i < iniparser_getnsec(dict); i++)
		keys += (size_t)iniparser_getsecnkeys(dict, iniparser_getsecname(dict, i));
	assert_int_equal(keys, rows->len);
	for (size_t i = 0; i < rows->len; i++) {
		char name[128];

		snprintf(name, sizeof(name), "%s:%s", rows->items[i].section, rows->items[i].key);
		assert_string_equal(iniparser_getstring(dict, name, "(none)"), rows->items[i].value);
	}
	iniparser_freedict(dict);
}

/* The comparison is the second wall: that it never speaks shows that the pre-scan is complete. */
static void random_files_are_refused_by_the_scan_or_read_as_iniparser_reads_them(void **state)
{
	unsigned seed = (unsigned)time(NULL), accepted = 0, refused = 0;

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (int round = 0; round < 40000; round++) {
		_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
		struct err err = { "" };
		char text[1024];
		size_t len = (size_t)sprintf(text, "[s]\n"), lines = (size_t)random() % 6;

		for (size_t i = 0; i < lines; i++)
			len += random_line(text + len);
		if (random() % 4 == 0)
			len--;
		if (ini_parse("p.ini", text, len, &rows, &err) == 0) {
			assert_equal_readings(&rows, text, len);
			accepted++;
			continue;
		}
		if (strstr(err.text, "iniparser"))
			fail_msg("the scan let pass: %s\n%.*s", err.text, (int)len, text);
		refused++;
	}
	print_message("%u accepted, %u refused\n", accepted, refused);
	assert_true(accepted > 1000 && refused > 1000);
}

static double parse_seconds(bool has_many_sections, size_t count)
{
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	struct timespec start, end;
	struct err err = { "" };
	char *text = malloc(count * 40 + 8);
	size_t len = (size_t)sprintf(text, "[s]\n");

	for (size_t i = 0; i < count; i++)
		len += (size_t)sprintf(text + len, has_many_sections ? "[s%zu]\nkey = value\n" : "key%zu = some value\n", i);
	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_int_equal(ini_parse("p.ini", text, len, &rows, &err), 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_int_equal(rows.len, count);
	free(text);
	return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
}

/* iniparser searches its keys one by one; the bound is wide, the figures are for people. */
static void ten_thousand_keys_are_read_in_less_than_five_seconds(void **state)
{
	double one = parse_seconds(false, 10000), many = parse_seconds(true, 5000), small = parse_seconds(false, 30);

	(void)state;
	print_message("10000 keys: %.1f ms; 5000 sections of one key: %.1f ms; 30 keys: %.3f ms\n", one * 1e3, many * 1e3,
		      small * 1e3);
	assert_true(one < 5 && many < 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_in_the_order_of_the_file_with_their_lines),
		cmocka_unit_test(values_are_what_is_written),
		cmocka_unit_test(nasty_lines_are_refused_with_their_number),
		cmocka_unit_test(sentence_names_section_and_key_and_what_is_accepted),
		cmocka_unit_test(nul_byte_is_refused),
		cmocka_unit_test(byte_order_mark_is_refused_by_name),
		cmocka_unit_test(key_before_any_section_is_refused),
		cmocka_unit_test(duplicates_are_found_across_sections_that_are_opened_again),
		cmocka_unit_test(empty_file_has_no_rows),
		cmocka_unit_test(longest_line_is_read_and_a_longer_one_refused),
		cmocka_unit_test(longest_section_and_key_names_are_read_and_longer_ones_refused),
		cmocka_unit_test(file_over_the_limit_is_refused),
		cmocka_unit_test(read_takes_a_descriptor_from_its_start_and_leaves_it_open),
		cmocka_unit_test(read_refuses_what_is_not_a_regular_file),
		cmocka_unit_test(no_descriptor_is_left_open),
		cmocka_unit_test(random_files_are_refused_by_the_scan_or_read_as_iniparser_reads_them),
		cmocka_unit_test(ten_thousand_keys_are_read_in_less_than_five_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

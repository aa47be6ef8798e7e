/* SPDX-License-Identifier: ISC */
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void assert_escapes(const char *in, const char *expected)
{
	char out[256];

	assert_int_equal(text_escape(out, sizeof(out), in, strlen(in)), strlen(in));
	assert_string_equal(out, expected);
}

static void escape_leaves_printable_text_as_it_is(void **state)
{
	(void)state;
	assert_escapes("", "");
	assert_escapes("make -j8 \"x\" 'y'", "make -j8 \"x\" 'y'");
	assert_escapes("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\x9a", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\x9a");
	assert_escapes("\xc2\xa0\xed\x9f\xbf\xf4\x8f\xbf\xbf", "\xc2\xa0\xed\x9f\xbf\xf4\x8f\xbf\xbf");
}

static void escape_shows_controls_as_hex(void **state)
{
	(void)state;
	assert_escapes("a\nb\r\t", "a\\x0ab\\x0d\\x09");
	assert_escapes("\x1b[31m\x7f", "\\x1b[31m\\x7f");
	assert_escapes("\xc2\x9b" "31m", "\\xc2\\x9b31m");
	assert_escapes("\\x41", "\\x5cx41");
}

static void escape_takes_a_nul_byte_for_a_control(void **state)
{
	char out[32];

	(void)state;
	assert_int_equal(text_escape(out, sizeof(out), "a\0b", 3), 3);
	assert_string_equal(out, "a\\x00b");
}

static void escape_shows_each_byte_that_is_not_utf8(void **state)
{
	(void)state;
	assert_escapes("\xff\xfe", "\\xff\\xfe");
	assert_escapes("\x80", "\\x80");
	assert_escapes("\xc0\xaf", "\\xc0\\xaf");                 /* overlong "/" */
	assert_escapes("\xe0\x80\xaf", "\\xe0\\x80\\xaf");        /* overlong */
	assert_escapes("\xed\xa0\x80", "\\xed\\xa0\\x80");        /* a surrogate */
	assert_escapes("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* past U+10FFFF */
	assert_escapes("\xe2\x82", "\\xe2\\x82");                 /* cut off */
	assert_escapes("\xe2\x82x", "\\xe2\\x82x");
}

static void escape_cuts_between_characters_only(void **state)
{
	char out[9];

	(void)state;
	assert_int_equal(text_escape(out, 9, "1234567890", 10), 8);
	assert_string_equal(out, "12345678");
	assert_int_equal(text_escape(out, 4, "ab\xc3\xbc", 4), 2);
	assert_string_equal(out, "ab");
	assert_int_equal(text_escape(out, 5, "ab\xc3\xbc", 4), 4);
	assert_int_equal(text_escape(out, 8, "\xc2\x9bx", 3), 0);
	assert_string_equal(out, "");
	assert_int_equal(text_escape(out, 1, "x", 1), 0);
	assert_string_equal(out, "");
	assert_int_equal(text_escape(out, 0, "x", 1), 0);
}

static size_t unescape(char *out, const char *in)
{
	size_t len = 0;

	while (*in) {
		unsigned byte;

		if (in[0] == '\\') {
			assert_int_equal(sscanf(in, "\\x%2x", &byte), 1);
			out[len++] = (char)byte;
			in += 4;
		} else {
			out[len++] = *in++;
		}
	}
	return len;
}

static void escaped_random_bytes_read_back_and_hold_no_control(void **state)
{
	unsigned seed = (unsigned)time(NULL);

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (int round = 0; round < 20000; round++) {
		char in[40], out[161], back[161];
		size_t len = (size_t)random() % sizeof(in), size = 1 + (size_t)random() % sizeof(out), taken;

		for (size_t i = 0; i < len; i++)
			in[i] = (char)(random() % 4 ? random() : "\xc2\xe2\x82\xed\xf0\x9f\\"[random() % 7]);
		taken = text_escape(out, size, in, len);
		assert_true(strlen(out) < size);
		assert_true(size < sizeof(out) || taken == len);
		for (size_t i = 0; out[i]; i++)
			assert_true((unsigned char)out[i] >= 0x20 && out[i] != 0x7f);
		assert_int_equal(unescape(back, out), taken);
		assert_memory_equal(back, in, taken);
	}
}

static void name_is_what_may_become_part_of_a_path(void **state)
{
	static const char *const bad[] = { "", ".", "..", ".a", "-a", "a/b", "a b", "a\n", "\xc3\xa4", "a@b", "$a" };
	static const char *const good[] = { "a", "A", "0", "_", "a.b-c_d", "build", "www-data", "a..b" };
	char text[257];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(text_is_name(bad[i]));
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(text_is_name(good[i]));
	memset(text, 'a', 256);
	text[256] = '\0';
	assert_false(text_is_name(text));
	text[255] = '\0';
	assert_true(text_is_name(text));
}

static void prefix_and_suffix_need_the_whole_of_it(void **state)
{
	(void)state;
	assert_true(text_has_prefix("build.ini", "build"));
	assert_true(text_has_prefix("x", ""));
	assert_false(text_has_prefix("bui", "build"));
	assert_true(text_has_suffix("build.ini", ".ini"));
	assert_true(text_has_suffix("x", ""));
	assert_false(text_has_suffix("ini", ".ini"));
}

static void path_is_within_its_tree_by_whole_components(void **state)
{
	(void)state;
	assert_true(text_path_is_within("/srv/a", "/srv"));
	assert_true(text_path_is_within("/srv", "/srv"));
	assert_true(text_path_is_within("/srv/", "/srv"));
	assert_true(text_path_is_within("/srv", "/srv/"));
	assert_true(text_path_is_within("//srv//a", "/srv/a"));
	assert_true(text_path_is_within("/srv", "/"));
	assert_true(text_path_is_within("/", "/"));
	assert_false(text_path_is_within("/srvx", "/srv"));
	assert_false(text_path_is_within("/srv", "/srv/a"));
	assert_false(text_path_is_within("/", "/srv"));
}

static void words_are_skipped_with_the_spaces_around_them(void **state)
{
	(void)state;
	assert_string_equal(text_skip_words("  one two   three four", 0), "one two   three four");
	assert_string_equal(text_skip_words("  one two   three four", 2), "three four");
	assert_string_equal(text_skip_words("one two", 2), "");
	assert_string_equal(text_skip_words("one two", 9), "");
}

static void number_is_digits_only_and_at_most_max(void **state)
{
	static const char *const bad[] = { "", " 1", "1 ", "+1", "-1", "0x10", "1.0", "4k6", "99999999999999999999x" };
	uint64_t number = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(text_number(bad[i], UINT64_MAX, &number), -EINVAL);
	assert_int_equal(text_number("18446744073709551616", UINT64_MAX, &number), -ERANGE);
	assert_int_equal(text_number("18446744073709551620", UINT64_MAX, &number), -ERANGE);
	assert_int_equal(text_number("256", 255, &number), -ERANGE);
	assert_true(number == 7); /* an error leaves it alone */
	assert_int_equal(text_number("18446744073709551615", UINT64_MAX, &number), 0);
	assert_true(number == UINT64_MAX);
	assert_int_equal(text_number("0255", 255, &number), 0);
	assert_true(number == 255);
}

static void assert_size(const char *text, uint64_t value, bool is_percent)
{
	struct text_amount amount = { 7, false };

	assert_int_equal(text_size(text, &amount), 0);
	assert_true(amount.value == value);
	assert_true(amount.is_percent == is_percent);
}

static void size_knows_its_units_and_percent(void **state)
{
	static const char *const bad[] = { "", "M", "%", "64m", "64MB", "64Mi", "6 4M", "64 M", "-1", "1.5G", "25%%", "99999999999999999999?" };
	static const char *const range[] = { "0%", "101%", "18446744073709551616", "16777216T", "99999999999999999999%" };
	struct text_amount amount;

	(void)state;
	assert_size("0", 0, false);
	assert_size("512", 512, false);
	assert_size("3K", 3072, false);
	assert_size("64M", UINT64_C(64) << 20, false);
	assert_size("2G", UINT64_C(2) << 30, false);
	assert_size("16777215T", UINT64_C(16777215) << 40, false);
	assert_size("1%", 1, true);
	assert_size("100%", 100, true);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(text_size(bad[i], &amount), -EINVAL);
	for (size_t i = 0; i < sizeof(range) / sizeof(*range); i++)
		assert_int_equal(text_size(range[i], &amount), -ERANGE);
}

static void duration_is_seconds_of_at_most_ten_years(void **state)
{
	static const struct {
		const char *text;
		uint64_t seconds;
	} good[] = { { "0", 0 }, { "90", 90 }, { "30s", 30 }, { "10m", 600 }, { "2h", 7200 }, { "1d", 86400 }, { "3650d", 315360000 } };
	static const char *const bad[] = { "", "s", "1w", "1H", "10 m", "1h30m", "-1s", "1.5h", "none" };
	static const char *const range[] = { "3651d", "315360001", "18446744073709551616s", "18446744073709551615d" };
	uint64_t seconds;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(text_duration(good[i].text, &seconds), 0);
		assert_true(seconds == good[i].seconds);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(text_duration(bad[i], &seconds), -EINVAL);
	for (size_t i = 0; i < sizeof(range) / sizeof(*range); i++)
		assert_int_equal(text_duration(range[i], &seconds), -ERANGE);
}

static void a_plain_path_has_a_name_in_every_component(void **state)
{
	static const char *const plain[] = { "/", "/a", "/a/b", "/.a", "/..a", "/a..", "/.../b" };
	static const char *const other[] = { "", "a", "a/b", "//", "//a", "/a/", "/a//b", "/.", "/..", "/a/.", "/a/..", "/../a", "/a/./b" };
	char path[PATH_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!text_is_plain_path(plain[i]))
			fail_msg("not plain: %s", plain[i]);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (text_is_plain_path(other[i]))
			fail_msg("plain: %s", other[i]);
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[PATH_MAX] = '\0';
	assert_false(text_is_plain_path(path));
	path[PATH_MAX - 1] = '\0';
	assert_true(text_is_plain_path(path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escape_leaves_printable_text_as_it_is),
		cmocka_unit_test(escape_shows_controls_as_hex),
		cmocka_unit_test(escape_takes_a_nul_byte_for_a_control),
		cmocka_unit_test(escape_shows_each_byte_that_is_not_utf8),
		cmocka_unit_test(escape_cuts_between_characters_only),
		cmocka_unit_test(escaped_random_bytes_read_back_and_hold_no_control),
		cmocka_unit_test(name_is_what_may_become_part_of_a_path),
		cmocka_unit_test(prefix_and_suffix_need_the_whole_of_it),
		cmocka_unit_test(path_is_within_its_tree_by_whole_components),
		cmocka_unit_test(words_are_skipped_with_the_spaces_around_them),
		cmocka_unit_test(number_is_digits_only_and_at_most_max),
		cmocka_unit_test(size_knows_its_units_and_percent),
		cmocka_unit_test(duration_is_seconds_of_at_most_ten_years),
		cmocka_unit_test(a_plain_path_has_a_name_in_every_component),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

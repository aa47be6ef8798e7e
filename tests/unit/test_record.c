/* SPDX-License-Identifier: ISC */
#include "record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void assert_line(const struct record *record, const char *expected)
{
	assert_string_equal(record->text, expected);
	assert_int_equal(record->len, strlen(expected));
}

static void assert_value(const char *value, const char *expected)
{
	struct record record;
	char line[RECORD_MAX + 8];

	record_begin(&record, "start");
	record_add(&record, "k", value);
	snprintf(line, sizeof(line), "start k=%s", expected);
	assert_line(&record, line);
}

/* One line of printable ASCII or UTF-8 at most RECORD_MAX long, quotes in pairs. */
static void assert_is_record(const struct record *record)
{
	size_t quotes = 0;

	assert_true(record->len <= RECORD_MAX);
	assert_int_equal(record->len, strlen(record->text));
	for (size_t i = 0; i < record->len; i++) {
		unsigned char byte = (unsigned char)record->text[i];

		quotes += byte == '"';
		if (byte < 0x20 || byte == 0x7f)
			fail_msg("byte %02x at %zu", byte, i);
	}
	assert_int_equal(quotes % 2, 0);
}

static void words_follow_the_event_in_their_order(void **state)
{
	struct record record;

	(void)state;
	record_begin(&record, "end");
	record_add(&record, "session", "k3v9q2m7");
	record_addf(&record, "exit", "%d", 2);
	record_add_command(&record, "make -j8", NULL);
	assert_line(&record, "end session=k3v9q2m7 exit=2 cmd=\"make -j8\"");
}

static void nothing_becomes_a_dash_and_an_empty_command_stays_empty(void **state)
{
	struct record record;

	(void)state;
	assert_value(NULL, "-");
	assert_value("", "-");
	record_begin(&record, "start");
	record_add_command(&record, "", NULL);
	assert_line(&record, "start cmd=\"\"");
}

static void a_value_can_forge_no_word_and_no_line(void **state)
{
	(void)state;
	assert_value("alice", "alice");
	assert_value("a b", "\"a b\"");
	assert_value("a=b", "\"a=b\"");
	assert_value("x\" user=\"root", "\"x\\x22 user=\\x22root\"");
	assert_value("\"", "\"\\x22\"");
	assert_value("a\nend session=x", "\"a\\x0aend session=x\"");
	assert_value("a\nb", "a\\x0ab");
	assert_value("a\\x22b", "\"a\\x5cx22b\"");
	assert_value("'", "\"'\"");
	assert_value("\x1b[2J", "\\x1b[2J");
	assert_value("\xff", "\\xff");
	assert_value("\xc3\xa9", "\xc3\xa9");
	assert_value("\xc2\x9b", "\\xc2\\x9b");
	assert_value("\t", "\"\\x09\"");
}

static void every_byte_gives_a_record(void **state)
{
	(void)state;
	for (int byte = 1; byte < 256; byte++)
		for (size_t fill = 0; fill < 4; fill++) {
			char value[8] = "xxx";
			struct record record;

			value[fill] = (char)byte;
			record_begin(&record, "start");
			record_add(&record, "k", value);
			record_add_command(&record, value, NULL);
			assert_is_record(&record);
		}
}

static void a_record_never_outgrows_its_room(void **state)
{
	static const char *const bytes[] = { "a", "\"", "\n", "\xff", "\xc3\xa9", "\xe2\x82\xac", "a\"", "\xc3\xa9\"" };
	char *value = malloc(20000);

	(void)state;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		for (size_t count = 0; count < 2200; count += count < 400 ? 37 : 1) {
			struct record record;
			bool is_cut;

			value[0] = '\0';
			for (size_t j = 0, len = strlen(bytes[i]); j < count; j++)
				memcpy(value + j * len, bytes[i], len + 1);
			record_begin(&record, "start");
			record_add(&record, "session", "k3v9q2m7");
			is_cut = record_cuts(&record, value);
			record_add_command(&record, value, is_cut ? DIGEST : NULL);
			assert_is_record(&record);
			assert_int_equal(strstr(record.text, "cmd_sha256=" DIGEST) != NULL, is_cut);
		}
	free(value);
}

static void a_command_that_is_not_said_to_be_cut_is_whole(void **state)
{
	char value[3000], expected[3100];

	(void)state;
	for (size_t count = 1800; count < 2100; count++) {
		struct record record;

		memset(value, 'a', count);
		value[count] = '\0';
		record_begin(&record, "start");
		snprintf(expected, sizeof(expected), "start cmd=%s", value);
		if (!record_cuts(&record, value)) {
			record_add_command(&record, value, NULL);
			assert_line(&record, expected);
		} else {
			assert_true(count > 1900);
		}
	}
}

static void a_digest_finds_room_behind_the_longest_words(void **state)
{
	char value[4000];
	struct record record;

	(void)state;
	memset(value, 'a', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	record_begin(&record, "refuse");
	record_add(&record, "detail", value);
	record_add(&record, "more", value);
	assert_true(record_cuts(&record, value));
	record_add_command(&record, value, DIGEST);
	assert_is_record(&record);
	assert_non_null(strstr(record.text, " cmd_sha256=" DIGEST));
}

static void a_cut_falls_between_characters(void **state)
{
	(void)state;
	for (size_t shift = 0; shift < 4; shift++) {
		char value[4096];
		struct record record;
		size_t len = shift;

		memset(value, 'a', shift);
		while (len + 3 < sizeof(value)) {
			memcpy(value + len, "\xe2\x82\xac", 4);
			len += 3;
		}
		record_begin(&record, "start");
		record_add(&record, "k", value);
		assert_is_record(&record);
		assert_int_equal((record.len - strlen("start k=") - shift) % 3, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_follow_the_event_in_their_order),
		cmocka_unit_test(nothing_becomes_a_dash_and_an_empty_command_stays_empty),
		cmocka_unit_test(a_value_can_forge_no_word_and_no_line),
		cmocka_unit_test(every_byte_gives_a_record),
		cmocka_unit_test(a_record_never_outgrows_its_room),
		cmocka_unit_test(a_command_that_is_not_said_to_be_cut_is_whole),
		cmocka_unit_test(a_digest_finds_room_behind_the_longest_words),
		cmocka_unit_test(a_cut_falls_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

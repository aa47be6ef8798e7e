/* SPDX-License-Identifier: ISC */
#include "journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "record.h"

#define GATEWAY "/usr/bin/stockade-gateway"

static void a_line_of_the_journal_is_read(void **state)
{
	struct journal_entry entry;

	(void)state;
	assert_true(journal_parse(&entry, "{\"MESSAGE\":\"start session=k3v9q2m7 user=build\",\"_EXE\":\"" GATEWAY
		"\",\"_UID\":\"1001\",\"__REALTIME_TIMESTAMP\":\"1764425616123456\",\"PRIORITY\":\"6\"}\n"));
	assert_string_equal(entry.message, "start session=k3v9q2m7 user=build");
	assert_string_equal(entry.exe, GATEWAY);
	assert_int_equal(entry.uid, 1001);
	assert_int_equal(entry.time, 1764425616123456);
}

static void what_is_no_object_with_a_message_is_no_entry(void **state)
{
	static const char *const lines[] = { "", "\n", "{", "{}", "[]", "null", "\"MESSAGE\"", "7", "not json", "{\"MESSAGE\":null}", "{\"MESSAGE\":7}",
		"{\"MESSAGE\":[115,116,97]}", "{\"MESSAGE\":[\"start\",\"end\"]}", "{\"MESSAGE\":{\"a\":\"b\"}}", "{\"message\":\"start\"}",
		"{\"_EXE\":\"" GATEWAY "\",\"_UID\":\"0\"}", "[{\"MESSAGE\":\"start\"}]", "{\"MESSAGE\":\"cut" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct journal_entry entry;

		if (journal_parse(&entry, lines[i]))
			fail_msg("%s", lines[i]);
	}
}

/* An array is what the journal makes of a field that a sender gave twice, or of bytes that are not text. */
static void a_field_that_is_no_text_counts_as_absent(void **state)
{
	struct journal_entry entry;

	(void)state;
	assert_true(journal_parse(&entry, "{\"MESSAGE\":\"x\",\"_EXE\":[\"" GATEWAY "\",\"/bin/logger\"],\"_UID\":[\"0\",\"1001\"],\"__REALTIME_TIMESTAMP\":[1]}"));
	assert_string_equal(entry.exe, "");
	assert_int_equal(entry.uid, (uid_t)-1);
	assert_int_equal(entry.time, 0);
	assert_true(journal_parse(&entry, "{\"MESSAGE\":\"x\",\"_EXE\":null,\"_UID\":0}"));
	assert_string_equal(entry.exe, "");
	assert_int_equal(entry.uid, (uid_t)-1);
}

static void a_uid_that_is_no_number_is_nobodys(void **state)
{
	static const char *const uids[] = { "", "-1", "-0", "+0", " 0", "0 ", "0x0", "root", "4294967295", "4294967296", "18446744073709551616", "0.0" };

	(void)state;
	for (size_t i = 0; i < sizeof(uids) / sizeof(uids[0]); i++) {
		struct journal_entry entry;
		char line[256];

		snprintf(line, sizeof(line), "{\"MESSAGE\":\"x\",\"_EXE\":\"" GATEWAY "\",\"_UID\":\"%s\"}", uids[i]);
		assert_true(journal_parse(&entry, line));
		if (entry.uid != (uid_t)-1 || journal_is_believed(&entry, (uid_t)-1, GATEWAY))
			fail_msg("\"%s\" is %u", uids[i], entry.uid);
	}
}

static void a_message_longer_than_any_record_is_cut_and_ended(void **state)
{
	static char line[20000];
	struct journal_entry entry;
	size_t len = (size_t)snprintf(line, sizeof(line), "{\"MESSAGE\":\"");

	(void)state;
	memset(line + len, 'a', 10000);
	len += 10000;
	snprintf(line + len, sizeof(line) - len, "\",\"_UID\":\"0\",\"_EXE\":\"/%0300d\"}", 0);
	assert_true(journal_parse(&entry, line));
	assert_int_equal(strlen(entry.message), sizeof(entry.message) - 1);
	assert_int_equal(strlen(entry.exe), sizeof(entry.exe) - 1);
	assert_int_equal(entry.uid, 0);
}

static struct journal_entry entry_of(uid_t uid, const char *exe)
{
	struct journal_entry entry = { .uid = uid };

	snprintf(entry.exe, sizeof(entry.exe), "%s", exe);
	return entry;
}

static bool is_believed(uid_t sender, const char *exe, uid_t account)
{
	struct journal_entry entry = entry_of(sender, exe);

	return journal_is_believed(&entry, account, GATEWAY);
}

static void the_gateway_is_believed_as_root_and_on_its_own_account_only(void **state)
{
	(void)state;
	assert_true(is_believed(1001, GATEWAY, 1001));
	assert_true(is_believed(0, GATEWAY, 1001));
	assert_true(is_believed(0, GATEWAY, (uid_t)-1));
	assert_false(is_believed(1002, GATEWAY, 1001));
	assert_false(is_believed(1002, GATEWAY, 0));
	assert_false(is_believed(1002, GATEWAY, (uid_t)-1));
	assert_false(is_believed((uid_t)-1, GATEWAY, (uid_t)-1));
}

static void no_other_program_is_believed_not_even_as_root(void **state)
{
	static const char *const programs[] = { "", "/usr/bin/logger", "/usr/bin/stockade-gateway2", "/usr/bin/stockade-gatewa", "stockade-gateway",
		"/home/build/usr/bin/stockade-gateway", "/usr/bin/stockade-gateway (deleted)", "/usr/bin//stockade-gateway" };

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		assert_false(is_believed(1001, programs[i], 1001));
		assert_false(is_believed(0, programs[i], 1001));
	}
}

static void assert_word(const char *message, const char *key, const char *expected)
{
	char word[256] = "before";

	if (!journal_word(message, key, word, sizeof(word)))
		fail_msg("no %s in: %s", key, message);
	assert_string_equal(word, expected);
}

static void assert_no_word(const char *message, const char *key)
{
	char word[256] = "before";

	if (journal_word(message, key, word, sizeof(word)))
		fail_msg("%s is \"%s\" in: %s", key, word, message);
	assert_string_equal(word, "");
}

static void a_word_is_found_wherever_it_stands_and_without_its_quotes(void **state)
{
	static const char message[] = "end session=k3v9q2m7 user=build actor=- detail=\"a b c\" empty=\"\" exit=0 cmd=\"make -j8\"";

	(void)state;
	assert_word(message, "session", "k3v9q2m7");
	assert_word(message, "user", "build");
	assert_word(message, "actor", "-");
	assert_word(message, "detail", "a b c");
	assert_word(message, "empty", "");
	assert_word(message, "exit", "0");
	assert_word(message, "cmd", "make -j8");
}

static void a_word_has_to_be_whole(void **state)
{
	static const char message[] = "end session=k3v9q2m7 xuser=a user2=b user x=user=c";

	(void)state;
	assert_no_word(message, "user");
	assert_no_word(message, "end");
	assert_no_word(message, "sess");
	assert_no_word(message, "ession");
	assert_no_word("", "user");
	assert_no_word("user=build", "user"); /* the event's place */
	assert_no_word("start ", "user");
	assert_no_word("start user", "user");
}

static void a_key_inside_a_quoted_value_is_no_word(void **state)
{
	(void)state;
	assert_no_word("start cmd=\"echo user=root \"", "user");
	assert_word("refuse detail=\"a user=root actor=admin\" user=build actor=bob", "user", "build");
	assert_word("refuse detail=\"a user=root actor=admin\" user=build actor=bob", "actor", "bob");
	assert_word("refuse detail=\" user=\" user=build", "user", "build");
	assert_no_word("start cmd=\"never closed user=root", "user");
	assert_word("start a=\"\" user=build", "user", "build");
}

static void the_first_of_two_words_counts(void **state)
{
	(void)state;
	assert_word("start user=build user=root", "user", "build");
}

/* As the record writes them: a client chooses the command, the host name, the detail. */
static void what_a_client_writes_into_a_record_forges_no_word_of_it(void **state)
{
	static const char *const evil[] = { "\"", "\" user=root", "x\" user=root exit=0 \"", "\\\" user=root \\\"", "a user=root", " user=root", "user=root", "'\" user=root",
		"\\x22 user=root", "\n end user=root", "\"\" user=root \"\"", "\" user=\"root\" x=\"", "=", "a=\"b", "\t user=root" };

	(void)state;
	for (size_t i = 0; i < sizeof(evil) / sizeof(evil[0]); i++) {
		struct record record;
		char word[256];

		record_begin(&record, "refuse");
		record_add(&record, "from", evil[i]);
		record_add(&record, "detail", evil[i]);
		record_add(&record, "user", "build");
		record_add_command(&record, evil[i], NULL);
		if (!journal_word(record.text, "user", word, sizeof(word)) || strcmp(word, "build") != 0)
			fail_msg("user is \"%s\" in: %s", word, record.text);
		assert_false(journal_word(record.text, "exit", word, sizeof(word)));
		assert_true(journal_word(record.text, "cmd", word, sizeof(word)));
		assert_null(strchr(word, '"'));
	}
}

static void a_word_longer_than_the_room_is_cut_and_ended(void **state)
{
	char word[4] = "xxx";

	(void)state;
	assert_true(journal_word("start user=build", "user", word, sizeof(word)));
	assert_string_equal(word, "bui");
	assert_true(journal_word("start user=\"build\"", "user", word, sizeof(word)));
	assert_string_equal(word, "bui");
	assert_true(journal_word("start user=", "user", word, sizeof(word)));
	assert_string_equal(word, "");
	assert_true(journal_word("start user=\"", "user", word, sizeof(word)));
	assert_string_equal(word, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_of_the_journal_is_read),
		cmocka_unit_test(what_is_no_object_with_a_message_is_no_entry),
		cmocka_unit_test(a_field_that_is_no_text_counts_as_absent),
		cmocka_unit_test(a_uid_that_is_no_number_is_nobodys),
		cmocka_unit_test(a_message_longer_than_any_record_is_cut_and_ended),
		cmocka_unit_test(the_gateway_is_believed_as_root_and_on_its_own_account_only),
		cmocka_unit_test(no_other_program_is_believed_not_even_as_root),
		cmocka_unit_test(a_word_is_found_wherever_it_stands_and_without_its_quotes),
		cmocka_unit_test(a_word_has_to_be_whole),
		cmocka_unit_test(a_key_inside_a_quoted_value_is_no_word),
		cmocka_unit_test(the_first_of_two_words_counts),
		cmocka_unit_test(what_a_client_writes_into_a_record_forges_no_word_of_it),
		cmocka_unit_test(a_word_longer_than_the_room_is_cut_and_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

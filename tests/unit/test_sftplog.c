/* SPDX-License-Identifier: ISC */
#include "sftplog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_line(const char *text, const char *op, const char *path, const char *to)
{
	struct sftplog_line line;

	if (!sftplog_parse(&line, text))
		fail_msg("no record of: %s", text);
	assert_string_equal(line.op, op);
	assert_string_equal(line.path, path);
	assert_string_equal(line.to, to);
}

static void each_change_makes_a_record(void **state)
{
	(void)state;
	assert_line("open \"/srv/build/a\" flags WRITE,CREATE,TRUNCATE mode 0644", "open", "/srv/build/a", "");
	assert_line("close \"/srv/build/a\" bytes read 0 written 12", "close", "/srv/build/a", "");
	assert_line("remove name \"/srv/build/a\"", "remove", "/srv/build/a", "");
	assert_line("mkdir name \"/srv/build/d\" mode 0777", "mkdir", "/srv/build/d", "");
	assert_line("rmdir name \"/srv/build/d\"", "rmdir", "/srv/build/d", "");
	assert_line("rename old \"/srv/a\" new \"/srv/b\"", "rename", "/srv/a", "/srv/b");
	assert_line("posix-rename old \"/srv/a\" new \"/srv/b\"", "rename", "/srv/a", "/srv/b");
	assert_line("hardlink old \"/srv/a\" new \"/srv/b\"", "link", "/srv/a", "/srv/b");
	assert_line("symlink old \"../a\" new \"/srv/b\"", "symlink", "../a", "/srv/b");
}

static void a_close_tells_the_bytes_of_each_way_and_others_none(void **state)
{
	struct sftplog_line line;

	(void)state;
	assert_true(sftplog_parse(&line, "close \"/a\" bytes read 7 written 18446744073709551615"));
	assert_int_equal(line.read, 7);
	assert_true(line.written == 18446744073709551615ull);
	assert_true(sftplog_parse(&line, "close \"/a\""));
	assert_int_equal(line.read, 0);
	assert_int_equal(line.written, 0);
	assert_true(sftplog_parse(&line, "open \"/a\" flags READ mode 0666"));
	assert_int_equal(line.read, 0);
	assert_int_equal(line.written, 0);
}

static void nothing_of_the_line_before_is_left(void **state)
{
	struct sftplog_line line;

	(void)state;
	assert_true(sftplog_parse(&line, "rename old \"/long/path/a\" new \"/long/path/b\""));
	assert_true(sftplog_parse(&line, "close \"/c\" bytes read 1 written 2"));
	assert_string_equal(line.to, "");
	assert_true(sftplog_parse(&line, "remove name \"/d\""));
	assert_int_equal(line.read, 0);
	assert_int_equal(line.written, 0);
}

static void a_path_with_quotes_is_kept_whole(void **state)
{
	(void)state;
	assert_line("open \"/srv/a\"b\" flags READ mode 0666", "open", "/srv/a\"b", "");
	assert_line("remove name \"\"\"", "remove", "\"", "");
	assert_line("remove name \"\"", "remove", "", "");
	assert_line("rename old \"/a\"b\" new \"/c\"d\"", "rename", "/a\"b", "/c\"d");
	assert_line("open \"/srv/gr\\303\\274\\303\\237 \\012\" flags READ mode 0666", "open", "/srv/gr\\303\\274\\303\\237 \\012", "");
}

static void a_files_name_forges_no_count_of_bytes(void **state)
{
	struct sftplog_line line;

	(void)state;
	assert_true(sftplog_parse(&line, "close \"/a\" bytes read 999 written 999\" bytes read 1 written 2"));
	assert_int_equal(line.read, 1);
	assert_int_equal(line.written, 2);
	assert_string_equal(line.path, "/a\" bytes read 999 written 999");
}

static void other_lines_make_none(void **state)
{
	static const char *const lines[] = { "", " ", "open", "open ", "open \"", "open \"/srv/a", "Open \"/a\"", " open \"/a\"", "opendir \"/a\"", "open name \"/a\"",
		"session opened for local user build from [192.0.2.7]", "sent status No such file", "rename old \"/a\"", "rename old \"/a\" newer \"/b\"",
		"rename \"/a\" new \"/b\"", "symlink old \"", "forced close \"/a\" bytes read 0 written 0", "error: close \"/a\"", "set \"/a\" mode 0644" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct sftplog_line line;

		if (sftplog_parse(&line, lines[i]))
			fail_msg("a record of: %s", lines[i]);
	}
}

/* The stream's reader hands a very long line over in pieces. */
static void a_line_cut_anywhere_neither_crashes_nor_keeps_a_path_unended(void **state)
{
	static const char *const lines[] = { "posix-rename old \"/srv/build/a\" new \"/srv/build/b\"", "close \"/a\" bytes read 12 written 34", "symlink old \"\" new \"\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		for (size_t len = 0; len <= strlen(lines[i]); len++) {
			struct sftplog_line line;
			char text[128];

			snprintf(text, sizeof(text), "%.*s", (int)len, lines[i]);
			if (!sftplog_parse(&line, text))
				continue;
			assert_true(strlen(line.path) < sizeof(line.path));
			assert_true(strlen(line.path) + strlen(line.to) < len);
		}
}

static void a_path_longer_than_the_room_is_cut_and_ended(void **state)
{
	char text[5000] = "rename old \"", path[2001];
	struct sftplog_line line;

	(void)state;
	memset(path, 'a', 2000);
	path[2000] = '\0';
	strcat(text, path);
	strcat(text, "\" new \"");
	memset(path, 'b', 2000);
	strcat(text, path);
	strcat(text, "\"");
	assert_true(sftplog_parse(&line, text));
	assert_int_equal(strspn(line.path, "a"), sizeof(line.path) - 1);
	assert_int_equal(strspn(line.to, "b"), sizeof(line.to) - 1);
}

static void sftp_servers_own_chatter_is_told_from_what_it_complains_of(void **state)
{
	static const char *const chatter[] = { "session opened for local user build from [192.0.2.7]", "session closed for local user build from [192.0.2.7]",
		"sent status No such file", "opendir \"/srv\"", "closedir \"/srv\"", "set \"/srv/a\" mode 0644", "lstat name \"/a\"", "stat name \"/a\"", "statvfs \"/\"",
		"received client version 3", "realpath \".\"", "forced close \"/a\" bytes read 0 written 0" };
	static const char *const told[] = { "", "fatal: bad message", "error: no space", "open \"/a\" flags READ mode 0666", "close \"/a\" bytes read 0 written 0",
		"remove name \"/a\"", "stockade: x", "bash: line 1: sent: command not found", "Couldn't drop privileges" };

	(void)state;
	for (size_t i = 0; i < sizeof(chatter) / sizeof(chatter[0]); i++)
		if (!sftplog_is_chatter(chatter[i]))
			fail_msg("%s", chatter[i]);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (sftplog_is_chatter(told[i]))
			fail_msg("%s", told[i]);
}

static void no_line_is_both_a_record_and_chatter(void **state)
{
	static const char *const begins[] = { "open \"/a\"", "close \"/a\"", "remove name \"/a\"", "mkdir name \"/a\"", "rmdir name \"/a\"", "rename old \"/a\" new \"/b\"",
		"posix-rename old \"/a\" new \"/b\"", "hardlink old \"/a\" new \"/b\"", "symlink old \"/a\" new \"/b\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		struct sftplog_line line;

		assert_true(sftplog_parse(&line, begins[i]));
		assert_false(sftplog_is_chatter(begins[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_change_makes_a_record),
		cmocka_unit_test(a_close_tells_the_bytes_of_each_way_and_others_none),
		cmocka_unit_test(nothing_of_the_line_before_is_left),
		cmocka_unit_test(a_path_with_quotes_is_kept_whole),
		cmocka_unit_test(a_files_name_forges_no_count_of_bytes),
		cmocka_unit_test(other_lines_make_none),
		cmocka_unit_test(a_line_cut_anywhere_neither_crashes_nor_keeps_a_path_unended),
		cmocka_unit_test(a_path_longer_than_the_room_is_cut_and_ended),
		cmocka_unit_test(sftp_servers_own_chatter_is_told_from_what_it_complains_of),
		cmocka_unit_test(no_line_is_both_a_record_and_chatter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct heard {
	char text[65536]; /* the lines, each in brackets */
	unsigned count;
	int errnum;       /* what a taker leaves in errno */
};

static struct heard heard;

static void take(void *data, const char *line)
{
	struct heard *to = data;
	size_t len = strlen(to->text);

	to->count++;
	snprintf(to->text + len, sizeof(to->text) - len, "[%s]", line);
	if (to->errnum)
		errno = to->errnum;
}

static void open_lines(struct lines *lines)
{
	struct err err = { "" };

	heard = (struct heard){ .count = 0 };
	if (lines_open(lines, take, &heard, &err))
		fail_msg("%s", err.text);
}

static void put(const struct lines *lines, const char *text)
{
	assert_int_equal(write(lines->command_fd, text, strlen(text)), strlen(text));
}

static void each_whole_line_is_handed_over_once(void **state)
{
	struct lines lines;

	(void)state;
	open_lines(&lines);
	put(&lines, "one\ntwo\n\nfour\n");
	lines_move(&lines);
	assert_string_equal(heard.text, "[one][two][][four]");
	lines_move(&lines);
	assert_int_equal(heard.count, 4);
	lines_close(&lines);
	assert_int_equal(heard.count, 4);
}

static void a_line_in_parts_waits_for_its_end(void **state)
{
	struct lines lines;

	(void)state;
	open_lines(&lines);
	put(&lines, "o");
	lines_move(&lines);
	put(&lines, "n");
	lines_move(&lines);
	assert_int_equal(heard.count, 0);
	put(&lines, "e\ntw");
	lines_move(&lines);
	assert_string_equal(heard.text, "[one]");
	put(&lines, "o\n");
	lines_move(&lines);
	assert_string_equal(heard.text, "[one][two]");
	lines_close(&lines);
}

static void nothing_there_is_not_waited_for(void **state)
{
	struct lines lines;

	(void)state;
	open_lines(&lines);
	lines_move(&lines);
	assert_true(lines.from >= 0);
	assert_int_equal(heard.count, 0);
	lines_close(&lines);
}

static void what_is_left_without_a_newline_comes_at_the_end(void **state)
{
	struct lines lines;

	(void)state;
	open_lines(&lines);
	put(&lines, "one\nlast words");
	lines_close(&lines);
	assert_string_equal(heard.text, "[one][last words]");
	assert_int_equal(lines.from, -1);
	assert_int_equal(lines.command_fd, -1);
	lines_close(&lines);
	assert_int_equal(heard.count, 2);
}

/* More than one reading's worth, and a taker that leaves errno as a failed call does. */
static void all_that_is_left_comes_at_the_end_whatever_its_taker_does(void **state)
{
	static const int errnums[] = { 0, EAGAIN, EINTR, EPIPE };

	(void)state;
	for (size_t i = 0; i < sizeof(errnums) / sizeof(errnums[0]); i++) {
		char line[65];
		struct lines lines;

		open_lines(&lines);
		heard.errnum = errnums[i];
		/* 63 bytes and a newline: readings of 4095 bytes end in and between lines. */
		memset(line, 'x', 64);
		line[64] = '\0';
		for (int j = 0; j < 700; j++) {
			line[j % 64 == 63 ? 40 : 63] = '\n';
			put(&lines, line);
			memset(line, 'x', 64);
		}
		lines_close(&lines);
		if (heard.count < 700)
			fail_msg("errno %d: %u lines", errnums[i], heard.count);
	}
}

/* Each reading of the end's is of whole lines: nothing but the reading itself says that more is there. */
static void a_reading_that_ends_with_its_line_is_not_the_last(void **state)
{
	struct lines lines;
	char line[4096];

	(void)state;
	open_lines(&lines);
	heard.errnum = EPIPE;
	memset(line, 'x', 4094);
	line[4094] = '\n';
	line[4095] = '\0';
	for (int i = 0; i < 5; i++)
		put(&lines, line);
	lines_close(&lines);
	assert_int_equal(heard.count, 5);
}

static void a_line_longer_than_the_room_comes_in_pieces_and_none_of_it_is_lost(void **state)
{
	struct lines lines;
	char text[10001];
	size_t xs = 0;

	(void)state;
	memset(text, 'x', 10000);
	text[10000] = '\0';
	open_lines(&lines);
	put(&lines, text);
	put(&lines, "\nnext\n");
	for (int i = 0; i < 5; i++)
		lines_move(&lines);
	for (const char *at = heard.text; *at; at++)
		xs += *at == 'x';
	assert_int_equal(xs, 10001); /* and that of "next" */
	assert_int_equal(heard.count, 4);
	assert_non_null(strstr(heard.text, "][next]"));
	lines_close(&lines);
}

static void the_end_of_the_stream_closes_it(void **state)
{
	struct lines lines;

	(void)state;
	open_lines(&lines);
	put(&lines, "one\n");
	lines_close_command(&lines);
	assert_int_equal(lines.command_fd, -1);
	lines_move(&lines);
	assert_true(lines.from >= 0);
	lines_move(&lines);
	assert_int_equal(lines.from, -1);
	lines_close(&lines);
	assert_string_equal(heard.text, "[one]");
}

/* A process that the command left behind may hold the other end. */
static void a_writer_that_stays_does_not_keep_the_end_waiting(void **state)
{
	struct lines lines;
	int other;

	(void)state;
	open_lines(&lines);
	other = dup(lines.command_fd);
	put(&lines, "one\ntwo");
	lines_close(&lines);
	assert_string_equal(heard.text, "[one][two]");
	close(other);
}

static void neither_end_is_passed_on_to_a_program(void **state)
{
	struct lines lines;

	(void)state;
	open_lines(&lines);
	assert_true(fcntl(lines.from, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(lines.command_fd, F_GETFD) & FD_CLOEXEC);
	assert_false(fcntl(lines.command_fd, F_GETFL) & O_NONBLOCK);
	lines_close(&lines);
}

static void what_was_never_opened_is_closed_without_harm(void **state)
{
	struct lines lines = LINES_INIT;

	(void)state;
	lines_close_command(&lines);
	lines_close(&lines);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0 || errno == EBADF);
	assert_int_equal(lines.from, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_whole_line_is_handed_over_once),
		cmocka_unit_test(a_line_in_parts_waits_for_its_end),
		cmocka_unit_test(nothing_there_is_not_waited_for),
		cmocka_unit_test(what_is_left_without_a_newline_comes_at_the_end),
		cmocka_unit_test(all_that_is_left_comes_at_the_end_whatever_its_taker_does),
		cmocka_unit_test(a_reading_that_ends_with_its_line_is_not_the_last),
		cmocka_unit_test(a_line_longer_than_the_room_comes_in_pieces_and_none_of_it_is_lost),
		cmocka_unit_test(the_end_of_the_stream_closes_it),
		cmocka_unit_test(a_writer_that_stays_does_not_keep_the_end_waiting),
		cmocka_unit_test(neither_end_is_passed_on_to_a_program),
		cmocka_unit_test(what_was_never_opened_is_closed_without_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "relay.h"

#include <poll.h>
#include <signal.h>
#include <time.h>

#include "temp.h"

struct ends {
	int to, reader; /* the client's pipe */
	uint64_t room;
	struct relay relay;
};

static void open_ends(struct ends *ends)
{
	int pair[2];

	assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
	ends->reader = pair[0];
	ends->to = pair[1];
	ends->relay = (struct relay)RELAY_INIT;
	ends->room = UINT64_MAX;
	assert_int_equal(relay_open(&ends->relay, ends->to, &ends->room, &(struct err){ "" }), 0);
}

static void close_ends(struct ends *ends)
{
	relay_close(&ends->relay);
	close(ends->to);
	if (ends->reader >= 0)
		close(ends->reader);
}

static void bytes_are_carried_and_counted(void **state)
{
	struct ends ends;
	char text[16] = "";

	(void)state;
	open_ends(&ends);
	assert_true(relay_wants_input(&ends.relay));
	assert_int_equal(relay_move(&ends.relay), 0);
	assert_int_equal(write(ends.relay.command_fd, "a\0b\n", 4), 4);
	assert_int_equal(relay_move(&ends.relay), 0);
	assert_int_equal(read(ends.reader, text, sizeof(text)), 4);
	assert_memory_equal(text, "a\0b\n", 4);
	assert_int_equal(ends.relay.count, 4);
	close_ends(&ends);
}

static void what_is_over_the_room_is_counted_and_dropped(void **state)
{
	struct ends ends;
	char text[16] = "";

	(void)state;
	open_ends(&ends);
	ends.room = 5;
	assert_int_equal(write(ends.relay.command_fd, "abc", 3), 3);
	assert_int_equal(relay_move(&ends.relay), 0);
	assert_int_equal(write(ends.relay.command_fd, "def", 3), 3);
	assert_int_equal(relay_move(&ends.relay), 0);
	assert_int_equal(write(ends.relay.command_fd, "ghi", 3), 3);
	assert_int_equal(relay_move(&ends.relay), 0);
	assert_int_equal(read(ends.reader, text, sizeof(text)), 5);
	assert_memory_equal(text, "abcde", 5);
	assert_int_equal(ends.relay.count, 9);
	assert_int_equal(ends.room, 0);
	close_ends(&ends);
}

static void the_commands_end_is_seen_after_its_last_byte(void **state)
{
	struct ends ends;
	char text[16];

	(void)state;
	open_ends(&ends);
	assert_int_equal(write(ends.relay.command_fd, "end", 3), 3);
	relay_close_command(&ends.relay);
	assert_int_equal(relay_move(&ends.relay), 0);
	assert_true(relay_wants_input(&ends.relay));
	assert_int_equal(relay_move(&ends.relay), 0);
	assert_false(relay_wants_input(&ends.relay));
	assert_int_equal(ends.relay.from, -1);
	assert_int_equal(read(ends.reader, text, sizeof(text)), 3);
	close_ends(&ends);
}

static void a_reader_that_does_not_read_holds_the_command_back_and_loses_nothing(void **state)
{
	size_t sent = 0, received = 0;
	struct ends ends;
	char text[65536];

	(void)state;
	open_ends(&ends);
	assert_true(fcntl(ends.relay.command_fd, F_SETFL, O_NONBLOCK) == 0);
	for (int i = 0; i < 100; i++) {
		ssize_t put;

		memset(text, i, sizeof(text));
		put = write(ends.relay.command_fd, text, sizeof(text));
		if (put > 0)
			sent += (size_t)put;
		assert_int_equal(relay_move(&ends.relay), 0);
	}
	/* Two pipes and one buffer are full. */
	assert_true(sent < 100 * sizeof(text));
	assert_true(relay_wants_output(&ends.relay));
	assert_false(relay_wants_input(&ends.relay));
	assert_true(fcntl(ends.reader, F_SETFL, O_NONBLOCK) == 0);
	relay_close_command(&ends.relay);
	for (int i = 0; i < 1000 && received < sent; i++) {
		ssize_t got = read(ends.reader, text, sizeof(text));

		if (got > 0)
			received += (size_t)got;
		assert_int_equal(relay_move(&ends.relay), 0);
	}
	assert_int_equal(received, sent);
	assert_int_equal(ends.relay.count, sent);
	close_ends(&ends);
}

static void a_reader_that_went_away_is_an_error(void **state)
{
	struct ends ends;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	open_ends(&ends);
	close(ends.reader);
	ends.reader = -1;
	assert_int_equal(write(ends.relay.command_fd, "x", 1), 1);
	assert_int_equal(relay_move(&ends.relay), -EPIPE);
	/* Nothing of it is left to wait for, and the command learns of it by its next write. */
	assert_false(relay_wants_output(&ends.relay));
	assert_false(relay_wants_input(&ends.relay));
	assert_true(write(ends.relay.command_fd, "x", 1) < 0 && errno == EPIPE);
	assert_int_equal(relay_move(&ends.relay), 0);
	close_ends(&ends);
}

static void the_clients_descriptor_is_given_back_as_it_was(void **state)
{
	struct ends ends;

	(void)state;
	open_ends(&ends);
	assert_true(fcntl(ends.to, F_GETFL) & O_NONBLOCK);
	relay_close(&ends.relay);
	assert_false(fcntl(ends.to, F_GETFL) & O_NONBLOCK);
	assert_int_equal(ends.relay.from, -1);
	assert_int_equal(ends.relay.command_fd, -1);
	assert_null(ends.relay.bytes);
	close_ends(&ends);
}

static void the_rest_is_drained_to_the_end(void **state)
{
	struct ends ends;
	char text[70000];

	(void)state;
	open_ends(&ends);
	memset(text, 'a', sizeof(text));
	assert_int_equal(write(ends.relay.command_fd, text, 60000), 60000);
	relay_close_command(&ends.relay);
	relay_drain(&ends.relay, 1000);
	assert_int_equal(ends.relay.from, -1);
	assert_int_equal(read(ends.reader, text, sizeof(text)), 60000);
	close_ends(&ends);
}

static void draining_ends_in_time_with_a_writer_that_never_stops(void **state)
{
	struct timespec begin, now;
	struct ends ends;
	pid_t pid;

	(void)state;
	open_ends(&ends);
	pid = fork();
	if (pid == 0) {
		alarm(20);
		for (;;) {
			if (write(ends.relay.command_fd, "x", 1) != 1)
				_exit(0);
			usleep(20000);
		}
	}
	relay_close_command(&ends.relay);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	relay_drain(&ends.relay, 200);
	clock_gettime(CLOCK_MONOTONIC, &now);
	kill(pid, SIGKILL);
	temp_wait(pid);
	assert_true((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 5000);
	close_ends(&ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_carried_and_counted),
		cmocka_unit_test(what_is_over_the_room_is_counted_and_dropped),
		cmocka_unit_test(the_commands_end_is_seen_after_its_last_byte),
		cmocka_unit_test(a_reader_that_does_not_read_holds_the_command_back_and_loses_nothing),
		cmocka_unit_test(a_reader_that_went_away_is_an_error),
		cmocka_unit_test(the_clients_descriptor_is_given_back_as_it_was),
		cmocka_unit_test(the_rest_is_drained_to_the_end),
		cmocka_unit_test(draining_ends_in_time_with_a_writer_that_never_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

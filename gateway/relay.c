/* SPDX-License-Identifier: ISC */
/* Owns the copy of one stream; decides nothing on how much is too much. */
#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"

int relay_open(struct relay *relay, int to, uint64_t *room, struct err *err)
{
	int ends[2];

	relay->bytes = malloc(RELAY_BUFFER);
	if (!relay->bytes)
		return err_set(err, ENOMEM, "out of memory");
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, errno, "no pipe: %s", strerror(errno));
	relay->from = ends[0];
	relay->command_fd = ends[1];
	relay->to = to;
	relay->room = room;
	fcntl(relay->from, F_SETFL, O_NONBLOCK);
	relay->outer_flags = fcntl(to, F_GETFL);
	if (relay->outer_flags < 0 || fcntl(to, F_SETFL, relay->outer_flags | O_NONBLOCK) < 0)
		return err_set(err, errno, "output cannot be written without waiting: %s", strerror(errno));
	return 0;
}

void relay_close_command(struct relay *relay)
{
	if (relay->command_fd >= 0)
		close(relay->command_fd);
	relay->command_fd = -1;
}

void relay_stop(struct relay *relay)
{
	fd_close(&relay->from);
}

bool relay_wants_input(const struct relay *relay)
{
	return relay->from >= 0 && relay->len == 0;
}

bool relay_wants_output(const struct relay *relay)
{
	return relay->len > 0;
}

/* The command learns by its next write that nobody reads any more, as it would without us. */
static int lose(struct relay *relay, int r)
{
	relay->len = 0;
	relay_stop(relay);
	return r;
}

static int spill(struct relay *relay)
{
	while (relay->len) {
		ssize_t put = write(relay->to, relay->bytes + relay->start, relay->len);

		if (put < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (put < 0)
			return lose(relay, -errno);
		relay->start += (unsigned)put;
		relay->len -= (unsigned)put;
	}
	relay->start = 0;
	return 0;
}

int relay_move(struct relay *relay)
{
	int r = spill(relay);
	ssize_t got;

	if (r || relay->len || relay->from < 0)
		return r;
	got = read(relay->from, relay->bytes, RELAY_BUFFER);
	if (got > 0) {
		relay->count += (uint64_t)got;
		relay->len = (uint64_t)got < *relay->room ? (unsigned)got : (unsigned)*relay->room;
		*relay->room -= relay->len;
		return spill(relay);
	}
	if (got == 0 || (errno != EAGAIN && errno != EINTR))
		relay_stop(relay);
	return 0;
}

void relay_drain(struct relay *relay, int ms)
{
	int64_t until = clock_ms() + ms;

	while (relay->from >= 0 || relay->len) {
		struct pollfd fds[] = { { .fd = relay->len ? relay->to : relay->from, .events = relay->len ? POLLOUT : POLLIN } };
		int64_t left = until - clock_ms();

		if (left <= 0 || poll(fds, 1, (int)left) <= 0 || relay_move(relay) < 0)
			return;
	}
}

void relay_close(struct relay *relay)
{
	relay_close_command(relay);
	relay_stop(relay);
	/* The open file may be a shell's too. */
	if (relay->to >= 0 && relay->bytes)
		fcntl(relay->to, F_SETFL, relay->outer_flags);
	free(relay->bytes);
	*relay = (struct relay)RELAY_INIT;
}

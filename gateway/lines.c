/* SPDX-License-Identifier: ISC */
/* Owns the cutting of a stream into lines; never looks at what is in one. */
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

int lines_open(struct lines *lines, lines_take *take, void *data, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, errno, "no pipe: %s", strerror(errno));
	*lines = (struct lines){ .from = ends[0], .command_fd = ends[1], .take = take, .data = data };
	fcntl(lines->from, F_SETFL, O_NONBLOCK);
	return 0;
}

void lines_close_command(struct lines *lines)
{
	if (lines->command_fd >= 0)
		close(lines->command_fd);
	lines->command_fd = -1;
}

static void hand_over(struct lines *lines)
{
	char *end;

	lines->bytes[lines->len] = '\0';
	while ((end = memchr(lines->bytes, '\n', lines->len))) {
		size_t len = (size_t)(end - lines->bytes);

		*end = '\0';
		lines->take(lines->data, lines->bytes);
		memmove(lines->bytes, end + 1, lines->len - len - 1);
		lines->len -= len + 1;
	}
	if (lines->len == sizeof(lines->bytes) - 1) {
		lines->bytes[lines->len] = '\0';
		lines->take(lines->data, lines->bytes);
		lines->len = 0;
	}
}

/* False where nothing more is there, for now or for good. What a taker does to errno is no matter. */
static bool move(struct lines *lines)
{
	ssize_t got;

	do
		got = read(lines->from, lines->bytes + lines->len, sizeof(lines->bytes) - 1 - lines->len);
	while (got < 0 && errno == EINTR);
	if (got > 0) {
		lines->len += (size_t)got;
		hand_over(lines);
	} else if (got == 0 || errno != EAGAIN) {
		close(lines->from);
		lines->from = -1;
	}
	return got > 0;
}

void lines_move(struct lines *lines)
{
	move(lines);
}

void lines_close(struct lines *lines)
{
	lines_close_command(lines);
	if (lines->from < 0)
		return;
	while (move(lines))
		;
	lines->bytes[lines->len] = '\0';
	if (lines->len)
		lines->take(lines->data, lines->bytes);
	if (lines->from >= 0)
		close(lines->from);
	lines->from = -1;
}

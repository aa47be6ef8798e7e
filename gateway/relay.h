/* SPDX-License-Identifier: ISC */
/*
 * Carries one of the command's output streams where the profile asks that it is counted; everything else
 * goes straight through.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

#define RELAY_BUFFER 65536

struct relay {
	int from;       /* read end of the command's stream, -1 when it has ended */
	int command_fd; /* its write end, for the command; -1 after that */
	int to;         /* STDOUT_FILENO or STDERR_FILENO */
	uint64_t count; /* bytes the command wrote */
	uint64_t *room; /* bytes that may still be carried, shared with its other stream; what is over is dropped */
	char *bytes;    /* RELAY_BUFFER, owned */
	unsigned start, len;
	int outer_flags;
};

#define RELAY_INIT { .from = -1, .command_fd = -1, .to = -1 }

int relay_open(struct relay *relay, int to, uint64_t *room, struct err *err);
/* After the command has it. */
void relay_close_command(struct relay *relay);
/* Takes nothing more from the command; what was taken is still carried. */
void relay_stop(struct relay *relay);
/* Which of from and to poll() should look at, with POLLIN and POLLOUT. */
bool relay_wants_input(const struct relay *relay);
bool relay_wants_output(const struct relay *relay);
/* Moves what can be moved without waiting. Negative errno where the reader is gone: the command can then write no more. */
int relay_move(struct relay *relay);
/* The rest, for at most ms milliseconds. */
void relay_drain(struct relay *relay, int ms);
void relay_close(struct relay *relay);

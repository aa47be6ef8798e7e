/* SPDX-License-Identifier: ISC */
/*
 * A private pty pair for the command (pty(7)): sshd's own terminal belongs to another session and stays
 * outside, so that nothing inside can push input into it (CVE-2017-5226).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include "err.h"

#define TERMINAL_BUFFER 16384

struct terminal_flow {
	char bytes[TERMINAL_BUFFER];
	size_t start, len;
	bool is_ended;
};

struct terminal {
	int master, slave; /* -1 where closed */
	bool is_raw;
	int outer_flags; /* of standard output, restored at the end: its open file may be a shell's too */
	struct termios saved;
	unsigned long long count_in, count_out; /* bytes that came */
	struct terminal_flow in, out; /* from the user, to the user */
};

#define TERMINAL_INIT { .master = -1, .slave = -1 }

/* Opens the pair with the outer terminal's settings and size, and makes the outer one raw. */
int terminal_open(struct terminal *terminal, struct err *err);

/* After the command has it: our copy of the slave goes, so that its end can be seen. */
void terminal_close_slave(struct terminal *terminal);

/* Which of POLLIN and POLLOUT to ask for on the outer input, outer output, and master. */
short terminal_wants_input(const struct terminal *terminal);
short terminal_wants_output(const struct terminal *terminal);
short terminal_wants_master(const struct terminal *terminal);

/* Moves what can be moved without waiting. Negative errno when the outer terminal is gone. */
int terminal_move(struct terminal *terminal);

/* The rest of what the command printed, for at most ms milliseconds. */
void terminal_drain(struct terminal *terminal, int ms);

void terminal_resize(const struct terminal *terminal);
/* The foreground process group on the inner terminal, 0 where there is none. */
pid_t terminal_foreground(const struct terminal *terminal);

/* Restores the outer terminal and closes the pair: the inner session gets its hang-up. */
void terminal_close(struct terminal *terminal);

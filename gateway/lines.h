/* SPDX-License-Identifier: ISC */
/* A stream of the command's that is read line by line, in place of going to the client. */
#pragma once

#include <stddef.h>

#include "err.h"

typedef void lines_take(void *data, const char *line);

struct lines {
	int from, command_fd; /* -1 where closed */
	char bytes[4096];     /* a line that is not whole yet; a longer one is handed over in pieces */
	size_t len;
	lines_take *take;
	void *data;
};

#define LINES_INIT { .from = -1, .command_fd = -1 }

int lines_open(struct lines *lines, lines_take *take, void *data, struct err *err);
void lines_close_command(struct lines *lines);
/* Reads what is there without waiting, and hands over whole lines. */
void lines_move(struct lines *lines);
/* What is left at the end, also without a newline. */
void lines_close(struct lines *lines);

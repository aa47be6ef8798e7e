/* SPDX-License-Identifier: ISC */
/*
 * The sentence that travels with an error.  A function that can fail takes a
 * struct err last and returns 0 or a negative errno; the sentence says which
 * thing, where, and why, in lower case and without a full stop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ERR_TEXT_SIZE 1024

struct err {
	char text[ERR_TEXT_SIZE];
};

/* Writes the sentence (cut to size) and returns -errnum; errnum must be positive. */
int err_set(struct err *err, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts context before the sentence, as "CONTEXT: SENTENCE". */
void err_prefix(struct err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

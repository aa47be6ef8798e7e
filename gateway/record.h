/* SPDX-License-Identifier: ISC */
/*
 * One log record: an event and key=value words on one line of at most RECORD_MAX bytes, valid UTF-8,
 * no control byte. Values with blanks, quotes or nothing in them are quoted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_MAX 2048

struct record {
	char text[RECORD_MAX + 1];
	size_t len;
};

void record_begin(struct record *record, const char *event);
/* The end of a run whose gateway was killed; note is "session=… user=… …" as the run left it. */
void record_begin_lost(struct record *record, const char *note);
/* NULL and "" become "-". A value too long for the record is cut. */
void record_add(struct record *record, const char *key, const char *value);
void record_addf(struct record *record, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Untrusted text as the last word; where it does not fit, sha256_hex of the whole goes before it. */
void record_add_command(struct record *record, const char *command, const char *sha256_hex);
/* True where record_add_command() would cut. */
bool record_cuts(const struct record *record, const char *command);

/* SPDX-License-Identifier: ISC */
/* Small questions and conversions on text; nothing here allocates. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/*
 * Copies in (len bytes) to out with every control byte, DEL, C1 control, backslash and byte
 * that is not part of valid UTF-8 (RFC 3629) written as \xNN, so that the result is one line of
 * valid UTF-8 with no terminal control in it and can be read back.  Cuts at a character's
 * boundary when out is full; returns the number of input bytes taken.  out is always ended.
 */
size_t text_escape(char *out, size_t size, const char *in, size_t len);

/* For a terminal, of text that may be escaped already: the backslash stays as it is. Returns out. */
const char *text_show(char *out, size_t size, const char *in);

/* [A-Za-z0-9_][A-Za-z0-9._-]*, at most 255 bytes: what may become part of a path. */
bool text_is_name(const char *text);
bool text_has_prefix(const char *text, const char *prefix);
bool text_has_suffix(const char *text, const char *suffix);

/* Absolute, and every component a name of its own: no "//", ".", "..", no slash at the end, shorter than PATH_MAX. */
bool text_is_plain_path(const char *path);

/* True where path is tree or lies below it; both absolute, without "." or "..". */
bool text_path_is_within(const char *path, const char *tree);

/* Where the word after count others begins, or the end of the text; spaces divide them. */
const char *text_skip_words(const char *text, unsigned count);

/* The whole text is a decimal number of at most max: 0; else -EINVAL or -ERANGE. */
int text_number(const char *text, uint64_t max, uint64_t *number);

struct text_amount {
	uint64_t value; /* bytes, or the percentage, 1 to 100 */
	bool is_percent;
};

/* "64M", "2G", "512", "25%" (K M G T, powers of 1024). 0, -EINVAL, -ERANGE. */
int text_size(const char *text, struct text_amount *amount);
/* "30s", "10m", "2h", "1d", "90": seconds. 0, -EINVAL, -ERANGE (above 10 years). */
int text_duration(const char *text, uint64_t *seconds);

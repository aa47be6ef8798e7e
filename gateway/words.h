/* SPDX-License-Identifier: ISC */
/*
 * The one place that knows quoting: splits text into words by the POSIX shell's quoting
 * rules (XCU 2.2: backslash, single quotes, double quotes), without any expansion.
 */
#pragma once

#include <stdbool.h>

#include "err.h"
#include "strv.h"

enum words_mode {
	WORDS_LIST,    /* a profile's list: nothing but blanks and quotes is special */
	WORDS_COMMAND, /* a client's command: unquoted shell operators are refused by name */
};

/*
 * Splits text into words (added to words, which the caller releases).  WORDS_COMMAND refuses
 * unquoted ; & | < > ( ) $ ` and newline, '$' and '`' inside double quotes too (a shell would
 * expand them), and every control byte anywhere but tab between words; globs, tilde and braces
 * stay as they are.  Errors: -EINVAL with a sentence naming the character ("unquoted \"|\"")
 * or the open quote, -E2BIG above WORDS_MAX words, -ENOMEM.
 */
#define WORDS_MAX 100000
int words_split(const char *text, enum words_mode mode, struct strv *words, struct err *err);

/* Appends the word to a command line so that words_split() and sh read it back unchanged. Heap, NULL: no memory. */
char *words_quote(const char *word);
/* All the words, quoted, joined by one blank. Heap, NULL: no memory. */
char *words_join(const char *const *words);

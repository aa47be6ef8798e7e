/* SPDX-License-Identifier: ISC */
/*
 * A growable, NULL-terminated vector of owned strings: an argv that is being
 * built, or the words of a list.  A failed allocation sticks: later additions do
 * nothing, and strv_finish() reports it once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

struct strv {
	char **items; /* owned, items[len] is NULL; NULL while empty */
	size_t len;
	size_t room;
	bool failed;
};

#define STRV_INIT { NULL, 0, 0, false }
#define _cleanup_strv_ __attribute__((cleanup(strv_release)))

void strv_release(struct strv *strv);

/* Adds a copy of the word. */
void strv_add(struct strv *strv, const char *word);
void strv_addf(struct strv *strv, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Takes a heap string over; NULL counts as a failed allocation. */
void strv_take(struct strv *strv, char *word);
/* Adds every word up to NULL. */
void strv_add_all(struct strv *strv, const char *const *words);
void strv_extend(struct strv *strv, const struct strv *other);
bool strv_contains(const struct strv *strv, const char *word);
/* Replaces target's words by copies of source's. */
int strv_copy(struct strv *target, const struct strv *source);

/* 0, or -ENOMEM with the sentence when an addition failed. */
int strv_finish(const struct strv *strv, struct err *err);

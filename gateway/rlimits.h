/* SPDX-License-Identifier: ISC */
/* The per-process limits by the names prlimit(1) knows, one row each. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define LIMITS_COUNT 16
#define LIMIT_UNSET UINT64_MAX
#define LIMIT_UNLIMITED (UINT64_MAX - 1)

struct limit_row {
	const char *name; /* prlimit's long option and the profile's key */
	int resource;     /* RLIMIT_*, getrlimit(2) */
	char unit;        /* 'b' bytes, 's' seconds, 'n' a number */
	const char *help;
};

extern const struct limit_row limits_table[LIMITS_COUNT];

/* Index into limits_table, or -1. */
int limits_find(const char *name);

/* Reads a value for the row: "4096", "64M", "30s", "unlimited". */
int limits_parse(const struct limit_row *row, const char *text, uint64_t *value, struct err *err);

/* SPDX-License-Identifier: ISC */
/* "stockade probe": how much of the fence this host can give. argv[0] is "probe"; the exit status is returned. */
#pragma once

#include <stddef.h>

#include "account.h"
#include "attempt.h"
#include "plan.h"

struct probing_row {
	char facet[32];
	enum plan_attempt result;
	char how[96];   /* what was tried */
	char said[256]; /* what came of it */
	char mend[320]; /* "" where nothing is to mend */
};

#define PROBING_ROWS_MAX 24

/* Fills rows for the account; returns how many. Run by root. */
size_t probing_rows(struct probing_row rows[PROBING_ROWS_MAX], const struct account *account);

int probing_main(int argc, char *argv[]);

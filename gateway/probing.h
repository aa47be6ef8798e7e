/* SPDX-License-Identifier: ISC */
/* "stockade probe": how much of the fence this host can give. argv[0] is "probe"; the exit status is returned. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "account.h"
#include "attempt.h"
#include "plan.h"
#include "profile.h"

struct probing_row {
	char facet[32];
	enum plan_attempt result;
	char how[96];   /* what was tried */
	char said[256]; /* what came of it */
	char mend[320]; /* "" where nothing is to mend */
};

#define PROBING_ROWS_MAX 24

struct selftest;

/*
 * Fills rows for the account; returns how many. Run by root. seen: a run of the account's that came to its end, which tells as much
 * as one made for this; NULL. The network is no part of the grade, and has a row of its own.
 */
size_t probing_rows(struct probing_row rows[PROBING_ROWS_MAX], const struct account *account, const struct selftest *seen);
void probing_network(struct probing_row *row, const struct account *account);

/* Why a run that said this has no private network on this host, and the cure. False where it is nothing that is known. Run by root. */
bool probing_explain_network(const struct profile *profile, const char *said, char *why, size_t size, char *mend, size_t mend_size);

int probing_main(int argc, char *argv[]);

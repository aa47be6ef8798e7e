/* SPDX-License-Identifier: ISC */
/* Watches a released command until nothing of it is left. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "chain.h"
#include "outcome.h"
#include "session.h"

struct run_bounds {
	uint64_t timeout; /* seconds, PROFILE_NONE: none */
	uint64_t idle;    /* seconds without input and output on a terminal, PROFILE_NONE: none */
	uint64_t output_max; /* bytes, UINT64_MAX: none */
	uint64_t grace;   /* seconds between the polite signal and KILL */
	const struct profile_size *floor;
	int helper_fd;    /* readable once the network's helper has ended, -1 without one */
};

struct run_result {
	struct outcome_input end;
	double seconds, cpu_seconds;
	long long cpu_usec;  /* of the scope when last looked at, -1: not known */
	long long peak;      /* bytes, -1: not known */
	long long oom_kills, oom_hits; /* processes killed; times the scope's own limit was hit. -1: not known */
	long long pids_max;  /* forks refused, -1: not known */
	bool is_network_lost; /* the helper ended before the command */
	char why[128];       /* for the user, where the gateway ended it: "after 2h" */
};

/* The signals that the loop reads; blocked from the start. Returns the descriptor. */
int run_block_signals(struct err *err);

/* From the release to the end. The chain is reaped when it returns. */
void run_watch(struct chain *chain, int signal_fd, const struct session *session, const struct run_bounds *bounds,
	struct run_result *result);

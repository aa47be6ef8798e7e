/* SPDX-License-Identifier: ISC */
/*
 * The private network of a run: slirp4netns(1) attached to its network namespace and nft(8) rules in it, both before
 * the command is released. Attached by handles of the namespaces that were verified, never by pid: bwrap moves its
 * child on into a second user namespace, and a pid can become another process's.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "chain.h"
#include "err.h"
#include "plan.h"

struct network {
	int user_fd, net_fd; /* the namespaces; -1 without a network */
	int exit_fd;         /* its close ends the helper, also where the gateway is killed; -1 */
	int helper_fd;       /* pidfd of the helper: readable once it has ended; -1 */
	pid_t helper;        /* a child; its systemd-run, env and slirp4netns are one process */
	const char *starter; /* borrowed, NULL without: that systemd-run, not killed at its work (guard.h) */
};

#define NETWORK_INIT { -1, -1, -1, -1, -1, NULL }

/*
 * The command is held; the chain's status has child-pid and net-namespace. Tried twice, each try anew. Errors: with a
 * sentence for the log, and nothing is left; -EINTR where signal_fd says that the run is to end, -ECHILD where the chain ended.
 */
int network_open(struct network *network, struct chain *held, const struct plan *plan, const struct plan_input *input, int signal_fd, struct err *err);

/* How many of the run's packets the rules refused: of a connection it is the first, mostly the only one. -1: not known. */
long long network_count_refused(const struct network *network, const struct plan_input *input);

void network_close(struct network *network);

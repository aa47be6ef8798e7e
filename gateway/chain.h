/* SPDX-License-Identifier: ISC */
/* Starts the chain with the command held, and releases it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "argv.h"
#include "err.h"
#include "guard.h"
#include "lines.h"
#include "plan.h"
#include "relay.h"
#include "scope.h"
#include "status.h"
#include "terminal.h"

#define CHAIN_EMPTIES_MAX 64

struct chain {
	pid_t pid;         /* systemd-run, then env, then bwrap's monitor: one process */
	const char *starter; /* borrowed, NULL without: the systemd-run that is not killed at its work (guard.h) */
	int status_fd;     /* bwrap's documents */
	int release_fd;    /* a byte lets the command go */
	int marker_fd;     /* hangs up when bwrap's operations are done */
	struct status status;
	struct scope scope;
	int empties[CHAIN_EMPTIES_MAX]; /* for hidden files, until the chain has them */
	size_t empties_len;
	struct terminal *terminal; /* borrowed, NULL without one */
	struct relay *out, *err; /* borrowed, NULL where the stream goes straight through */
	struct lines *lines; /* borrowed, NULL; takes the command's standard error */
	int error_fd;      /* -1, or where the chain's standard error goes instead */
	struct guard guard;
	bool is_reaped;
	int wait_status;   /* of pid, once reaped */
};

void chain_init(struct chain *chain);

/*
 * Spawns the chain. The command is held; runtime_dir is all of the environment that systemd-run gets.
 * Errors: with a sentence; nothing is left running.
 */
int chain_spawn(struct chain *chain, const struct plan *plan, const struct plan_input *input, const char *runtime_dir,
	struct err *err);

/*
 * Waits until bwrap has done every operation and only the release is missing. Errors: -ECHILD where the chain
 * ended (see wait_status), -ETIMEDOUT, -EPROTO for a status that is none, -EINTR where signal_fd became
 * readable with something else than SIGCHLD, or the client went away.
 */
int chain_hold(struct chain *chain, int signal_fd, struct err *err);

/* Takes what signal_fd has: SIGCHLD and SIGWINCH are no news, anything else ends the wait: -EINTR. */
int chain_take_signal(int signal_fd, struct err *err);

/* -ECHILD and how the chain ended, where it has before its command was released; else 0. */
int chain_check(struct chain *chain, struct err *err);

/* Lets the command run. */
int chain_release(struct chain *chain, struct err *err);

/* Reads what is there of the status documents; false at their end. */
bool chain_read_status(struct chain *chain);

/* Reaps the chain's process where it has ended. */
bool chain_reap(struct chain *chain);

/*
 * The gateway is a child subreaper (prctl(2)): what lost its parent comes to it, and is killed until none is left.
 * That is all of a run without a pid namespace, and a bwrap whose monitor died before it could follow.
 */
void chain_kill_orphans(void);

/* Ends what is left, released or not, and closes everything. */
void chain_close(struct chain *chain);

/* SPDX-License-Identifier: ISC */
/*
 * While the command is held, and a moment longer, bwrap's child has no death signal yet (bubblewrap.c: do_init() sets it
 * some time after the read of the block descriptor). It holds the release pipe's other end itself, before that as what
 * keeps the pipe open, and later as --sync-fd: a killed gateway would leave it, and the client, waiting for ever, or the
 * command without a gateway. The guard is a child without a program that outlives the gateway and ends what has the pipe.
 */
#pragma once

#include <sys/types.h>

#include "err.h"

struct guard {
	int fd;    /* the gateway's end; closed without an order to stop, the gateway died; -1 */
	pid_t pid;
};

#define GUARD_INIT { -1, -1 }

/*
 * What systemd-run is given to become what it starts: killed while its scope is set up it can leave the scope active and
 * empty until the user manager ends.
 */
#define GUARD_PATIENCE_MS 1000

/* It watches nothing yet. As early as can be: every page that the gateway has written by then is copied at its next write. */
int guard_start(struct guard *guard, struct err *err);
/*
 * pipe_fd: an end of the release pipe; whoever still has it open after the gateway's death is killed. starter: the
 * systemd-run that begins the chain, or NULL; it is given its time. Takes the place of what was watched before.
 * Starts another where there is none, or none any more: the wait for a place can be long.
 */
int guard_watch(struct guard *guard, int pipe_fd, const char *starter, struct err *err);
/* Ends the guard and reaps it. */
void guard_stop(struct guard *guard);

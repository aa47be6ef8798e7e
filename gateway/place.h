/* SPDX-License-Identifier: ISC */
/*
 * A run's place among the account's: a file of BASE/runs, locked while the run lives, so that a killed run's place is free
 * at once. Whoever finds every place taken may wait, and is served in the order of arrival.
 */
#pragma once

#include <stdint.h>

#include "err.h"
#include "session.h"

#define PLACE_NOTE_MAX 2048

/* A run whose gateway was killed: note is the first line that place_note() wrote. */
typedef void place_lost(void *data, const char *note);

/* One run of the account's; note is all of what place_note() wrote, "" before that. */
typedef void place_run(void *data, const char *id, const char *actor, const char *note);

struct place_limits {
	uint64_t sessions_max;       /* UINT64_MAX: none */
	uint64_t actor_sessions_max; /* UINT64_MAX: none */
	const char *actor;           /* NULL */
	uint64_t queue;              /* seconds to wait for a place */
};

/*
 * Takes a place. Clears what killed runs left on the way, lost() is called for each. Errors: -EBUSY with a sentence
 * for the user, -ECANCELED where stop_fd hung up or signal_fd told of a signal while it waited (-1: nothing does).
 */
int place_take(struct session *session, const struct place_limits *limits, int stop_fd, int signal_fd, place_lost *lost, void *data,
	struct err *err);

/*
 * Calls each() for every living run, and lost() for every dead one, which is cleared away. The lock is held
 * meanwhile. Errors: as opening and locking give them.
 */
int place_each(const struct session *session, place_run *each, place_lost *lost, void *data, struct err *err);

/* Writes what a later sweep needs to know if this run is killed. */
int place_note(struct session *session, const char *note);

/* Gives the place back. */
void place_leave(struct session *session);

/* The lock of BASE/runs: a sweep never sees a directory that is made and not yet held. */
int place_lock(const struct session *session, struct err *err);
void place_unlock(const struct session *session);

/* SPDX-License-Identifier: ISC */
/* Sessions of the user who runs the test, below a directory of the test's own, and gateways that are killed. */
#pragma once

#include <signal.h>
#include <sys/file.h>
#include <time.h>

#include "place.h"
#include "temp.h"

static const struct place_limits no_limits = { UINT64_MAX, UINT64_MAX, NULL, 0 };

struct lost {
	int count;
	char note[256];
};

static inline void take_lost(void *data, const char *note)
{
	struct lost *lost = data;

	lost->count++;
	snprintf(lost->note, sizeof(lost->note), "%s", note);
}

/* A session of the user who runs the test, below a runtime directory. */
static inline void open_session(struct session *session, const struct temp *temp, const char *id)
{
	const struct account account = { .uid = geteuid(), .name = (char *)"build" };
	char runtime[128];
	struct err err = { "" };

	temp_dir(temp, "runtime");
	snprintf(runtime, sizeof(runtime), "%s/runtime", temp->path);
	session_init(session);
	snprintf(session->id, sizeof(session->id), "%s", id);
	if (session_find_base(session, "/nonexistent", runtime, &account, &err))
		fail_msg("%s", err.text);
}

static inline int take(struct session *session, const struct place_limits *limits, struct lost *lost, struct err *err)
{
	return place_take(session, limits, -1, -1, take_lost, lost, err);
}

static inline void assert_takes(struct session *session, const struct place_limits *limits)
{
	struct lost lost = { .count = 0 };
	struct err err = { "" };

	if (take(session, limits, &lost, &err))
		fail_msg("%s", err.text);
}

/* Killed where it stands; the note is what it wrote, NULL for nothing. */
static inline void killed_holder(const struct temp *temp, const char *id, const char *note)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct session session;

		open_session(&session, temp, id);
		assert_takes(&session, &no_limits);
		if (session_make(&session, &(struct err){ "" }) || (note && place_note(&session, note)))
			_exit(1);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	kill(pid, SIGKILL);
	assert_int_equal(temp_wait(pid), 128 + SIGKILL);
}

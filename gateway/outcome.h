/* SPDX-License-Identifier: ISC */
/* What a run's end means: which status the client gets, and who ended it. */
#pragma once

#include <stdbool.h>

enum outcome_by {
	BY_PAYLOAD,
	BY_TIMEOUT,
	BY_IDLE,
	BY_OUTPUT,
	BY_DISK,
	BY_DISCONNECT,
	BY_OOM,
	BY_ADMIN,
	BY_GATEWAY,
	BY_LOST,
};

/* Exit statuses of the gateway's own, stockade-gateway(8). */
enum outcome_exit {
	EXIT_ENDED = 124,   /* wall clock, idle, output limit */
	EXIT_FAILED = 125,  /* before the command ran */
	EXIT_REFUSED = 126,
};

struct outcome_input {
	bool has_exit_code; /* bwrap's last document came */
	int exit_code;      /* in it */
	enum outcome_by by; /* BY_PAYLOAD unless the gateway ended the run */
	unsigned long oom_kills;
};

struct outcome {
	enum outcome_by by;
	int exit;           /* for the client */
	int signal;         /* 0: none */
};

void outcome_decide(struct outcome *outcome, const struct outcome_input *input);
const char *outcome_by_name(enum outcome_by by);

/* SPDX-License-Identifier: ISC */
/* One request from its arguments to its exit status. */
#pragma once

#include <stdbool.h>

#include "request.h"

/* What became of a request, for a caller in the same program. */
struct serve_report {
	char grade[16]; /* "" where it was refused */
	char lacks[64];
	char detail[512]; /* of a refusal */
};

struct serve_input {
	struct request_input request;
	const char *user_auth;          /* SSH_USER_AUTH, a path; NULL */
	const char *const *environment; /* sshd's, for [env] pass; NULL-terminated */
	/* For stockade probe and check alone, NULL and false in the gateway: no argument or variable leads here. */
	const char *etc_dir;            /* in place of /etc/stockade */
	bool is_selftest;               /* the command is the tool's own: rules do not apply */
	struct serve_report *report;
};

/* Runs the request; returns the process's exit status. Writes at most one line, to standard error. */
int serve(const struct serve_input *input);

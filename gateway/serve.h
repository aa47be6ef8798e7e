/* SPDX-License-Identifier: ISC */
/* One request from its arguments to its exit status. */
#pragma once

#include "request.h"

struct serve_input {
	struct request_input request;
	const char *user_auth;          /* SSH_USER_AUTH, a path; NULL */
	const char *const *environment; /* sshd's, for [env] pass; NULL-terminated */
};

/* Runs the request; returns the process's exit status. Writes at most one line, to standard error. */
int serve(const struct serve_input *input);

/* SPDX-License-Identifier: ISC */
/*
 * The PAM hook, run by root for each connection, from pam_stockade or pam_exec:
 *   account   is there a valid, enabled profile, and may this service let the account in
 *   open      the connection's private directory and record; clears what a crash left
 *   close     ends what still runs of the connection, removes both
 * Nothing happens for an account without a profile.
 */
#pragma once

struct hook_input {
	const char *phase;   /* "account", "open", "close" */
	const char *user;    /* PAM_USER */
	const char *service; /* PAM_SERVICE */
	const char *host;    /* PAM_RHOST; NULL */
	const char *auth;    /* SSH_AUTH_INFO_0; NULL */
};

/* The exit status: 0, also for an account that is none of ours; 126 refused; 125 failed. */
int hook_run(const struct hook_input *input);

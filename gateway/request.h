/* SPDX-License-Identifier: ISC */
/*
 * What the client asks for, and in which form sshd called us (stockade-gateway(8)):
 *   F  ForceCommand: no arguments, or -c with exactly the F line: the request is SSH_ORIGINAL_COMMAND
 *   L  login shell: -c TEXT is the client's text, no arguments is a login
 *   K  --as NAME from a root-owned authorized_keys line: the request is SSH_ORIGINAL_COMMAND
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "strv.h"

enum request_kind { REQUEST_EXEC, REQUEST_SHELL, REQUEST_SFTP, REQUEST_MENU, REQUEST_HOOK };
enum request_form { FORM_FORCED, FORM_LOGIN_SHELL, FORM_KEY, FORM_HOOK };

/* What the process was given; all borrowed, NULL where it is not there. */
struct request_input {
	int argc;
	char *const *argv;
	const char *original_command; /* SSH_ORIGINAL_COMMAND */
	const char *connection;       /* SSH_CONNECTION */
	const char *term;             /* TERM */
	bool has_terminal;            /* standard input and output are one terminal */
};

struct request {
	enum request_kind kind; /* exec, shell or sftp; rules may make it a menu entry */
	enum request_form form;
	const char *text;       /* the client's command, borrowed; NULL for a login */
	const char *as;         /* --as, borrowed; NULL */
	const char *hook;       /* "account", "open" or "close", borrowed; NULL */
	char from[80];          /* ADDRESS:PORT, or "-" */
	const char *term;       /* borrowed; NULL without a terminal */
	bool has_terminal;
};

const char *request_kind_name(enum request_kind kind);

/* Errors: -EINVAL for arguments of no form. */
int request_parse(struct request *request, const struct request_input *input, struct err *err);

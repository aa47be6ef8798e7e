/* SPDX-License-Identifier: ISC */
/* Owns the forms of invocation. The client's text is never looked at for options. */
#include "request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* The line that enroll writes, and the only text after -c that is not the client's. */
#define FORCED_LINE "exec " STOCKADE_GATEWAY

const char *request_kind_name(enum request_kind kind)
{
	switch (kind) {
	case REQUEST_EXEC:
		return "exec";
	case REQUEST_SHELL:
		return "shell";
	case REQUEST_SFTP:
		return "sftp";
	case REQUEST_MENU:
		return "menu";
	case REQUEST_HOOK:
		return "hook";
	}
	return "?";
}

/*
 * sshd hands over the subsystem's command line as configured: internal-sftp, or a server's path, each
 * with options perhaps. The client could type the same, so nothing but the kind is taken from it.
 */
static bool is_sftp(const char *text)
{
	size_t len = strcspn(text, " \t");

	if (len == strlen("internal-sftp") && strncmp(text, "internal-sftp", len) == 0)
		return true;
	return text[0] == '/' && len > strlen("/sftp-server") &&
		strncmp(text + len - strlen("/sftp-server"), "/sftp-server", strlen("/sftp-server")) == 0 &&
		strcspn(text, ";&|<>()$`'\"\\\n") == strlen(text);
}

static void set_text(struct request *request, const char *text)
{
	/* An empty command is what sshd itself takes for a login. */
	if (!text || !*text) {
		request->kind = REQUEST_SHELL;
		return;
	}
	request->text = text;
	request->kind = is_sftp(text) ? REQUEST_SFTP : REQUEST_EXEC;
}

/* "ADDRESS PORT ADDRESS PORT", session(7) of sshd; only plain address characters are taken over. */
static void set_from(struct request *request, const char *connection)
{
	size_t address, port;

	strcpy(request->from, "-");
	if (!connection)
		return;
	address = strspn(connection, "0123456789abcdefABCDEF.:%");
	if (connection[address] != ' ' || address == 0 || address > 60)
		return;
	port = strspn(connection + address + 1, "0123456789");
	if (port == 0 || port > 5)
		return;
	snprintf(request->from, sizeof(request->from), "%.*s:%.*s", (int)address, connection, (int)port, connection + address + 1);
}

int request_parse(struct request *request, const struct request_input *input, struct err *err)
{
	*request = (struct request){
		.term = input->has_terminal ? input->term : NULL,
		.has_terminal = input->has_terminal,
	};
	set_from(request, input->connection);
	if (input->argc <= 1) {
		request->form = input->original_command ? FORM_FORCED : FORM_LOGIN_SHELL;
		set_text(request, input->original_command);
		return 0;
	}
	if (input->argc == 3 && strcmp(input->argv[1], "-c") == 0) {
		bool is_forced = strcmp(input->argv[2], FORCED_LINE) == 0;

		request->form = is_forced ? FORM_FORCED : FORM_LOGIN_SHELL;
		set_text(request, is_forced ? input->original_command : input->argv[2]);
		return 0;
	}
	if (input->argc == 3 && strcmp(input->argv[1], "--as") == 0) {
		request->form = FORM_KEY;
		request->as = input->argv[2];
		set_text(request, input->original_command);
		return text_is_name(request->as) ? 0 : err_set(err, EINVAL, "--as: not an actor's name");
	}
	if (input->argc == 3 && strcmp(input->argv[1], "--hook") == 0 &&
		(strcmp(input->argv[2], "account") == 0 || strcmp(input->argv[2], "open") == 0 || strcmp(input->argv[2], "close") == 0)) {
		request->form = FORM_HOOK;
		request->kind = REQUEST_HOOK;
		request->hook = input->argv[2];
		return 0;
	}
	return err_set(err, EINVAL, "called with arguments of no known form, see stockade-gateway(8)");
}

/* SPDX-License-Identifier: ISC */
/*
 * sftp-server's own log (sftp-server(8) -e -l INFO), a line each, into records: what was opened, how many bytes
 * went which way, what was renamed, removed, made.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sftplog_line {
	const char *op;      /* static: "open", "close", "rename", "remove", "mkdir", "rmdir", "link", "symlink" */
	char path[1024];     /* as sftp-server wrote it, its own escapes included */
	char to[1024];       /* of rename and links, "" */
	unsigned long long read, written; /* of close */
};

/* True for a line that makes a record. */
bool sftplog_parse(struct sftplog_line *line, const char *text);

/* True for sftp-server's own chatter, which neither the user nor the log needs. */
bool sftplog_is_chatter(const char *text);

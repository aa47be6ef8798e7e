/* SPDX-License-Identifier: ISC */
/*
 * bwrap's status descriptor (bwrap(1) --json-status-fd): JSON documents that arrive in pieces. The
 * first has child-pid, the last exit-code; only the latter means that the command really ran.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct status {
	char pending[1024]; /* a document that is not whole yet; bwrap's longest has some 250 bytes */
	size_t len;
	bool is_broken;     /* something other than such documents came: nothing of it is believed */
	long child_pid;     /* 0: not seen */
	unsigned long net_namespace; /* inode, bwrap's "net-namespace"; 0: not seen */
	bool has_exit_code;
	int exit_code;
};

/* Takes the next bytes. */
void status_feed(struct status *status, const char *bytes, size_t len);

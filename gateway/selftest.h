/* SPDX-License-Identifier: ISC */
/*
 * A real run through the whole chain, started by root for an account: what it finds out is what a client would
 * get, tested from inside and not read off a version.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "account.h"
#include "err.h"

#define SELFTEST_LINES_MAX 32
#define SELFTEST_PROGRAM "program:" /* a line's name: "program:/bin/sh", that it can run inside */

struct selftest_line {
	char name[160];  /* of the guarantee, or of the program */
	bool holds;
	char said[160];  /* what was seen, escaped */
};

struct selftest {
	struct selftest_line lines[SELFTEST_LINES_MAX];
	size_t len;
	int status;      /* the gateway's exit status */
	char grade[16];  /* "full", "partial", or "refused" */
	char lacks[64];
	char error[512]; /* what the gateway said on standard error, escaped */
};

/*
 * programs: absolute paths, up to NULL, that are to be found inside too; may be NULL.
 * etc_dir: the profiles to use, "/etc/stockade" for the account's own. The command is the test itself, whatever the
 * profile's rules say. The account's user manager is started where it is not running, and stopped again.
 * Errors: where the test could not be made at all; what it found is in the struct.
 */
int selftest_run(struct selftest *selftest, const struct account *account, const char *etc_dir, const char *const *programs, struct err *err);

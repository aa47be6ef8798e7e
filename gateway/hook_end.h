/* SPDX-License-Identifier: ISC */
/* The end of a connection, and what opening and ending one share. Root calls; paths are below the connection's own dir. */
#pragma once

#include <stddef.h>

#include "account.h"
#include "connection.h"
#include "hook.h"
#include "log.h"
#include "plan.h"
#include "profile.h"
#include "session.h"

#define HOOK_PATH_SIZE 1024

struct hook {
	const struct hook_input *input;
	struct log log;
	struct account account;
	struct profile profile;
	struct connection connection; /* the one at hand, its dir always set */
};

/* Ends the connection at hook->connection: what still runs of it first, then directory and record. */
void hook_end_connection(struct hook *hook);

/* Runs work() in a child that is the account for good. 0, or the child's status; 125 where there is no child. */
int hook_as_account(struct hook *hook, int (*work)(struct hook *hook));

/* DIR/USER, and DIR/USER/ID. */
void hook_account_path(const struct hook *hook, char *path, size_t size);
void hook_directory_path(const struct hook *hook, char *path, size_t size);

/* As the account. 0, or 125 with a record. */
int hook_open_session(struct hook *hook, struct session *session);
int hook_remove_directory(struct hook *hook);

/* As root. The mount may be there without a record's word for it, after a crash. */
void hook_unmount(const struct hook *hook);

void hook_log_refusal(struct hook *hook, enum plan_reason reason, const char *detail);
/* data: the hook; of a run whose gateway was killed. */
void hook_log_lost(void *data, const char *note);

/* SPDX-License-Identifier: ISC */
/* The account a request is for, as the name service knows it. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "err.h"
#include "strv.h"

struct account {
	uid_t uid;
	gid_t gid;
	char *name;
	char *group;   /* the primary group's name, or its number as text where it has none */
	char *home;
	char *gecos;
	char *shell;
	struct strv groups; /* names of every group, the primary one first */
	gid_t *gids;        /* the ids of groups, same order */
};

void account_release(struct account *account);
#define _cleanup_account_ __attribute__((cleanup(account_release)))

/* -ENOENT where the name service has no such user. */
int account_by_uid(struct account *account, uid_t uid, struct err *err);
int account_by_name(struct account *account, const char *name, struct err *err);

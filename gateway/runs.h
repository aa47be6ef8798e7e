/* SPDX-License-Identifier: ISC */
/* The commands that run on this host now, as root sees them. */
#pragma once

#include <sys/types.h>

#include "err.h"

/* Untrusted text in all of it: escape before it is shown. */
struct runs_item {
	char session[64];
	char user[256];
	char actor[256];
	char from[80];
	char kind[16];
	char grade[16];
	char command[300];
	char scope[512]; /* below /sys/fs/cgroup, "-" */
	long long since; /* seconds since the epoch */
	pid_t pid;       /* of the gateway, verified by start time and owner; 0 where it is gone */
	unsigned long long start;
	uid_t uid;       /* the owner of the place */
};

/* Calls each() for every living run of every account. */
int runs_each(void (*each)(void *data, const struct runs_item *item), void *data, struct err *err);

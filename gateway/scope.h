/* SPDX-License-Identifier: ISC */
/* The run's cgroup, as the kernel shows it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "err.h"

struct scope {
	int fd;          /* the scope's cgroup directory, -1 where there is none */
	char path[512];  /* below /sys/fs/cgroup, for people */
};

#define SCOPE_INIT { .fd = -1 }

/*
 * Finds the cgroup of the process and opens it. Errors: -ENOENT where its name is not unit (the move into the
 * scope did not happen), others as open gives them.
 */
int scope_open(struct scope *scope, pid_t pid, const char *unit, struct err *err);
void scope_close(struct scope *scope);

/* The slice that holds all of an account's runs, systemd's user-UID.slice; fd -1 where there is none. */
void scope_open_account(struct scope *scope, uid_t uid);

/* The file's content without its newline: 0, or -ENOENT where there is no such file. */
int scope_read(const struct scope *scope, const char *file, char *buf, size_t size);

/* The number after key in a flat keyed file (memory.events), or of a single-valued file for key NULL; -1. */
long long scope_number(const struct scope *scope, const char *file, const char *key);

/* Kills all that is in it by cgroup.kill (Linux 5.14), or pid by pid before that. */
int scope_kill(const struct scope *scope);

/* True while a process is in it. */
bool scope_is_populated(const struct scope *scope);

/* SPDX-License-Identifier: ISC */
/*
 * A session's private directory. It lives, with the account's places (place.h), below one directory of the account that
 * no fence can reach:
 *   BASE/ID/{tmp,var-tmp,home,work}   private directories; locked (flock) while in use
 *   BASE/runs/ID.ACTOR                one file a run; locked while it lives, so that a killed run's place is free at once
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account.h"
#include "err.h"
#include "plan.h"

#define SESSION_ID_SIZE 9

struct session {
	char base[512];                 /* path, for people */
	char dir[600];
	char id[SESSION_ID_SIZE];       /* of the run */
	char directory[64];             /* the entry below base: the run's id, or the connection's */
	char run_file[320];             /* below runs/ */
	int base_fd, runs_fd, dir_fd, run_fd; /* -1 while not there */
	int private_fds[PRIVATE_COUNT];
	bool is_connections;            /* dir belongs to the connection and outlives the run */
};

void session_init(struct session *session);

/* Eight letters and digits from the kernel's generator. */
int session_new_id(char id[SESSION_ID_SIZE], struct err *err);

/*
 * Finds the account's directory: TMP_DIR/USER where root made one, else runtime_dir/stockade (made here).
 * Errors: -ENOENT where there is neither, -EPERM where it is not the account's alone.
 */
int session_find_base(struct session *session, const char *tmp_dir, const char *runtime_dir, const struct account *account,
	struct err *err);

/*
 * Removes the private directories below base that nobody holds, but for those of which is_kept() says so:
 * what a crash or a reboot left.
 */
int session_sweep(const struct session *session, bool (*is_kept)(void *data, const char *name), void *data, struct err *err);

/* Removes one of them, where nobody holds it. */
void session_sweep_one(const struct session *session, const char *name);

/* Makes the private directories. */
int session_make(struct session *session, struct err *err);

/* True where the file system of the private directories has less than floor free, blocks or inodes. */
bool session_is_below_floor(const struct session *session, const struct profile_size *floor, char *why, size_t size);

/* Gives the place back and removes the private directory. */
int session_close(struct session *session, struct err *err);

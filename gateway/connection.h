/* SPDX-License-Identifier: ISC */
/*
 * The connection that a command belongs to. The session hook, run by root inside sshd's PAM session, leaves a
 * record that only root can write; a command is of that connection where the process that the record names is
 * its ancestor, by pid and start time. No variable is believed.
 *   /run/stockade/UID/ID   one file a connection, 0640, root's and the account's group
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "err.h"

#ifndef CONNECTION_DIR
#define CONNECTION_DIR "/run/stockade"
#endif

struct connection {
	char id[64];              /* "" for none */
	pid_t pid;                /* the process that opened the PAM session */
	unsigned long long start; /* its start time */
	unsigned lost;            /* enum facet, found missing when it was opened */
	bool has_size;            /* its directory has the profile's: a tmpfs, or a project quota */
	char dir[512];            /* [tmp] dir when it was opened: its directory is DIR/USER/ID */
	char from[80];            /* PAM_RHOST */
	char auth[24576];         /* sshd's lines on the authentication, "" where it tells none; the last, since what is unused is never touched */
};

/* Reads one record. Errors: -EINVAL, -EPERM (not root's), -ENOENT. */
int connection_read(struct connection *connection, uid_t uid, const char *id, struct err *err);

/* The connection the calling process descends from. -ENOENT: none, or its ancestors may not be seen. */
int connection_find(struct connection *connection, uid_t uid, struct err *err);

/* By root. gid may read it. */
int connection_write(const struct connection *connection, uid_t uid, gid_t gid, struct err *err);
void connection_remove(uid_t uid, const char *id);

/*
 * Reads every record of the account's in turn into connection, an unreadable one with pid 0, and calls each(), until it
 * returns true: that record stays there. Else it is empty at the end.
 */
int connection_each(uid_t uid, struct connection *connection, bool (*each)(void *data, const struct connection *connection), void *data);

/*
 * Without the hook: sshd's own note, by the path it put into SSH_USER_AUTH. Only a regular file /tmp/sshauth.*
 * of mode 0600 with one link, of the caller's, opened without following a link, is read. auth has the
 * connection's size. "" where path is NULL.
 */
int connection_read_auth(const char *path, uid_t uid, char *auth, size_t size, struct err *err);

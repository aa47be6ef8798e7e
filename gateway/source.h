/* SPDX-License-Identifier: ISC */
/*
 * A path opened component by component, with what was seen on the way.  A symlink is followed
 * only while every directory so far belongs to the trusted owner and nobody else can write it
 * (CVE-2024-42472's class: a link in a directory that the attacker can write).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "err.h"

enum source_kind { SOURCE_ABSENT, SOURCE_DIR, SOURCE_FILE, SOURCE_DEVICE, SOURCE_SOCKET, SOURCE_OTHER };

struct source {
	char *path;      /* canonical; owned. The path as given where it is absent */
	int fd;          /* O_PATH, -1 where it is absent; owned */
	enum source_kind kind;
	uid_t uid;
	gid_t gid;
	mode_t mode;
	dev_t dev;
	/* The first component, the last one included, that somebody but the trusted owner can write or own; "" for none. */
	char loose[1024];
	bool is_last_loose; /* it is the last component */
};

#define SOURCE_INIT { .fd = -1 }

void source_release(struct source *source);
#define _cleanup_source_ __attribute__((cleanup(source_release)))

/*
 * Opens path below the directory root_fd stands for ("/" in production), with owner as the trusted
 * uid. An absent path is no error: kind says so. Errors: -ELOOP for a link where none is followed,
 * -EACCES and others as open gives them, with a sentence that names the component.
 */
int source_open(struct source *source, int root_fd, const char *path, uid_t owner, struct err *err);

/*
 * Opens a regular file for reading that must be the owner's on every component, not writable by
 * others anywhere on the way, and reached without a link. -ENOENT where it is absent.
 */
int source_open_trusted(int root_fd, const char *path, uid_t owner, int *fd, struct err *err);

/* A program that the chain runs: as above, and executable, not setuid or setgid. */
int source_check_tool(int root_fd, const char *path, uid_t owner, struct err *err);

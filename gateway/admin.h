/* SPDX-License-Identifier: ISC */
/*
 * Changes to the host that are told before they are made, made only where they are needed, and taken back in
 * reverse order when a later one fails.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "err.h"

#define ADMIN_CHANGES_MAX 64

enum admin_undo { UNDO_NOTHING, UNDO_REMOVE_FILE, UNDO_RESTORE_FILE, UNDO_REMOVE_DIRECTORY, UNDO_RUN };

struct admin_change {
	enum admin_undo undo;
	char *path;         /* owned */
	char *before;       /* the file's old text, or the command to run; owned */
	mode_t mode;
	uid_t uid;          /* of the file as it was */
	gid_t gid;
};

struct admin {
	bool is_dry; /* tell only */
	struct admin_change changes[ADMIN_CHANGES_MAX];
	size_t len;
};

void admin_release(struct admin *admin);

/* Prints what is done, as a line. */
void admin_say(const struct admin *admin, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs a program by its absolute path, its words up to NULL; undo: a command for the shell that takes it back, or NULL. */
int admin_run(struct admin *admin, const char *undo, struct err *err, const char *program, ...);

/* A directory with its parents (root's, 0755); an existing one stays as it is. uid (uid_t)-1: root's. */
int admin_directory(struct admin *admin, const char *path, mode_t mode, uid_t uid, gid_t gid, struct err *err);

/* Puts text into a file of root's, replaced whole; nothing is done where it holds just that already. */
int admin_file(struct admin *admin, const char *path, const char *text, mode_t mode, struct err *err);

/* The file's text, heap; "" where it does not exist, NULL where it cannot be read, is no regular file or holds a NUL. */
char *admin_read(const char *path);

/* Adds, or takes out, whole lines. */
int admin_add_line(struct admin *admin, const char *path, const char *line, mode_t mode, struct err *err);
int admin_remove_lines(struct admin *admin, const char *path, const char *line, struct err *err);
int admin_remove_file(struct admin *admin, const char *path, struct err *err);

/* Takes every change back, the last first, a file with its text, owner and mode; what cannot be is told. The number of those. */
unsigned admin_undo(struct admin *admin);

/* SPDX-License-Identifier: ISC */
/* Which trees may be a workspace, and which may be shown; judged by path alone. */
#pragma once

#include <stdbool.h>

#include "err.h"

struct paths_places {
	const char *home;        /* the account's HOME on the host */
	const char *inside_home; /* HOME inside, unless it is the workspace */
	const char *tmp_dir;     /* where private directories are */
};

/* -EINVAL with the reason where a tree must never be writable inside. */
int paths_check_writable(const char *path, const struct paths_places *places, struct err *err);

/* -EINVAL with the reason where a path must not be shown read-only. */
int paths_check_shown(const char *path, const struct paths_places *places, struct err *err);

/* -EINVAL for what no command can do without, or what is private inside anyway. */
int paths_check_hidden(const char *path, struct err *err);

/* False where the path inside is taken by something private, so that it must be shown elsewhere. */
bool paths_can_mirror(const char *path, const struct paths_places *places);

/* One lies in the other, or they are the same. */
bool paths_overlap(const char *a, const char *b);

/* SPDX-License-Identifier: ISC */
/* Finds the files that make up an account's profile and reads them in order. */
#pragma once

#include <sys/types.h>

#include "account.h"
#include "err.h"
#include "profile.h"

struct load {
	int root_fd;     /* what "/" is; AT_FDCWD is not accepted */
	const char *dir; /* "/etc/stockade"; below root_fd */
	uid_t owner;     /* who must own every file and directory: 0 */
};

/*
 * stockade.ini, then the inherits chain, then the account's file, or the one of its groups.
 * On success the profile is not finished: the actor's file may follow. Errors: -ENOENT where the
 * account has no profile; -EINVAL, -EPERM, -ELOOP and others with the file's name in the sentence.
 */
int load_profile(struct profile *profile, const struct load *load, const struct account *account, struct err *err);

/* USER.d/ACTOR.ini on top, where there is one. */
int load_actor(struct profile *profile, const struct load *load, const char *user, const char *actor, struct err *err);

/* stockade.ini alone over the defaults, finished as far as the tools go: for what runs without an account. */
int load_site(struct profile *profile, const struct load *load, struct err *err);

/* "profiles/USER.ini" or "profiles/@GROUP.ini" that an account uses; heap. -ENOENT, or -EINVAL for two groups' files. */
int load_find(const struct load *load, const struct account *account, char **name, struct err *err);

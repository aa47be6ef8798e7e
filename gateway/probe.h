/* SPDX-License-Identifier: ISC */
/* Looks at the host for one request. */
#pragma once

#include "account.h"
#include "err.h"
#include "facts.h"
#include "profile.h"

/* The runtime directory alone: needed before the rest, for the session. "" where it is not the account's and 0700. */
void probe_runtime_dir(struct facts *facts, uid_t uid);

/*
 * Everything plan_build() asks for. term is the client's TERM or NULL. Nothing is executed.
 * Errors: -ENOMEM; what is missing on the host is a fact, not an error.
 */
int probe_facts(struct facts *facts, const struct profile *profile, const struct account *account, const char *term,
	struct err *err);

/* SPDX-License-Identifier: ISC */
/* Looks at the host for one request. */
#pragma once

#include "account.h"
#include "err.h"
#include "facts.h"
#include "profile.h"

/*
 * Everything plan_build() asks for. term is the client's TERM or NULL. Nothing is executed.
 * is_login_assumed: a user manager that is not running counts as there, where a login would start it.
 * Errors: -ENOMEM; what is missing on the host is a fact, not an error.
 */
int probe_facts(struct facts *facts, const struct profile *profile, const struct account *account, const char *term,
	bool is_login_assumed, struct err *err);

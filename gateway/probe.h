/* SPDX-License-Identifier: ISC */
/* Looks at the host for one request. */
#pragma once

#include "account.h"
#include "err.h"
#include "facts.h"
#include "profile.h"

/*
 * Everything plan_build() asks for, but for the network. term is the client's TERM or NULL. Nothing is executed.
 * is_login_assumed: a user manager that is not running counts as there, where a login would start it.
 * Errors: -ENOMEM; what is missing on the host is a fact, not an error.
 */
int probe_facts(struct facts *facts, const struct profile *profile, const struct account *account, const char *term,
	bool is_login_assumed, struct err *err);

/*
 * For [network] mode = slirp, once: the names of allow and the host's own addresses. Waits for the host's name service, until
 * signal_fd (-1: never) says that the run is to end. What cannot be found out is facts->network.problem.
 */
void probe_network(struct facts *facts, const struct profile *profile, int signal_fd);

/* SPDX-License-Identifier: ISC */
/* The addresses behind names, and the host's own. */
#pragma once

#include "err.h"
#include "facts.h"
#include "strv.h"

/*
 * The IPv4 addresses of all names, within RESOLVER_SECONDS together, asked of the host's name service. Adds to
 * network->names. Errors: -ETIMEDOUT, -ENOENT, with the name in the sentence: fail closed, try again later; -EINTR where
 * signal_fd (-1: none) says that the run is to end.
 */
#define RESOLVER_SECONDS 10
int resolver_ask(struct facts_network *network, const struct strv *names, int signal_fd, struct err *err);

/* Adds what the host itself answers for, as ADDRESS/LENGTH, to network->own: the LOCAL and BROADCAST routes of all tables. */
int resolver_own(struct facts_network *network, struct err *err);

/* SPDX-License-Identifier: ISC */
/*
 * From account and request to a plan: the one road that the gateway and "stockade explain" both take, so that
 * what explain shows is what will be done.
 */
#pragma once

#include <stdbool.h>

#include "account.h"
#include "facts.h"
#include "identity.h"
#include "load.h"
#include "plan.h"
#include "profile.h"
#include "request.h"
#include "rules.h"

struct decision {
	struct account account;    /* filled by the caller, released here */
	struct request request;    /* likewise */
	struct profile profile;
	bool has_profile;          /* defaults at least; false until decision_make() */
	struct verdict verdict;
	struct facts facts;
	struct identity identity;
	char actor[256];           /* "" for none */
	struct plan_input input;
	struct plan plan;
};

void decision_release(struct decision *decision);

struct decision_options {
	const struct load *load;
	const char *actor;                 /* explain: as if the key were this one's; NULL */
	const char *auth;                  /* what sshd tells of the authentication; NULL, "" */
	unsigned lost;                     /* enum facet, known to be missing since the connection was opened */
	bool has_connection_size;         /* its directory has the profile's size already */
	const char *const *client_env;
	bool is_selftest;                  /* the command is the tool's own: no rule, no actor */
	bool is_login_assumed;             /* explain: the user manager is not running yet, a login would start it */
};

/* Profile, actor, verdict, facts but for the network. plan.reason says whether it goes on. Never fails otherwise. */
void decision_make(struct decision *decision, const struct decision_options *options);

/*
 * The plan itself, once the session has its directories (explain: private_fds all -1). Asks name service where the profile has
 * a network, the first time, and until signal_fd (-1: never) says that the run is to end.
 */
void decision_plan(struct decision *decision, const char *session, const int *private_fds, const char *private_dir, int signal_fd);

/* SPDX-License-Identifier: ISC */
/*
 * The profile's verdict on a request: rules are words, not text. This is policy; the fence
 * holds also when the verdict is wrong.
 */
#pragma once

#include <stdbool.h>

#include "err.h"
#include "profile.h"
#include "request.h"
#include "strv.h"

/* The rule of an account without commands, say for sftp alone: it has rules, and nothing matches. Not listed to a user. */
#define RULES_NOTHING "/nonexistent"

struct verdict {
	bool is_allowed;
	enum request_kind kind;
	const struct profile_entry *rule; /* the [allow], [deny] or [menu] entry, borrowed from the profile; or NULL */
	const char *section;              /* of rule */
	struct strv argv;                 /* what runs inside; owned */
	char sentence[ERR_TEXT_SIZE];     /* for the user, where it is refused */
};

void verdict_release(struct verdict *verdict);

/*
 * Fills the verdict. Errors are only -ENOMEM; a refusal is a verdict.
 */
int rules_decide(struct verdict *verdict, const struct profile *profile, const struct request *request, struct err *err);

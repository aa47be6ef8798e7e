/* SPDX-License-Identifier: ISC */
/* The other two forms of "stockade explain": an object for programs, and a script to be pasted. */
#pragma once

#include "decision.h"

/* Prints the decision, all of it, as one JSON object. 0, or 1 where memory ran out. */
int explain_json(const struct decision *decision);

/*
 * Prints a bash script that runs the chain by hand, as the account: without the system call filter, the hold, and
 * the status, which only the gateway can hand over. 0 or 1.
 */
int explain_script(const struct decision *decision);

/* "read", "write", … of an operation; static. */
const char *explain_op_name(enum plan_op_kind kind);

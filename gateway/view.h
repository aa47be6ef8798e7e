/* SPDX-License-Identifier: ISC */
/* The file system a run sees, as an ordered list of operations. */
#pragma once

#include "plan.h"

/*
 * Fills plan->ops, cwd, home, passwd and group. Returns 0, -ENOMEM, or -EINVAL with the sentence where
 * the profile asks for what may not be shown.
 */
int view_build(struct plan *plan, const struct plan_input *input, struct err *err);

/* Appends an operation. dest is taken as a copy. NULL: no memory. */
struct plan_op *view_add(struct plan *plan, enum plan_op_kind kind, const char *dest, const char *why);

/* SPDX-License-Identifier: ISC */
/* The environment inside: exactly what the profile says. */
#pragma once

#include "plan.h"

/* Fills plan->env; plan->cwd and plan->home are set. -ENOMEM. */
int environment_build(struct plan *plan, const struct plan_input *input, struct err *err);

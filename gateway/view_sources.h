/* SPDX-License-Identifier: ISC */
/* Whether what a profile wants to show and to have written may be. */
#pragma once

#include "paths.h"
#include "plan.h"

/* 0, or -EINVAL with FILE:LINE: [section] key, the path and the reason. */
int view_check_sources(const struct plan_input *input, const struct paths_places *places, struct err *err);

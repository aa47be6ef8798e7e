/* SPDX-License-Identifier: ISC */
/* One keyword's value: read from text into its field, and shown as text again. */
#pragma once

#include "profile.h"

/* Sets the keyword's field. Errors: "what is wrong; accepted: …", without place. */
int setting_parse(struct profile *profile, const struct keyword *keyword, const char *text, struct err *err);

/* The field's value as one would write it in a profile; heap, NULL: no memory. */
char *setting_show(const struct profile *profile, const struct keyword *keyword);

/* Frees what the field owns. */
void setting_release(struct profile *profile, const struct keyword *keyword);

/* SPDX-License-Identifier: ISC */
#pragma once

#include "err.h"

/*
 * The text of an INI file with key of section set to value, or without it for a NULL value; comments and everything
 * else stay as they are. Heap; NULL with the sentence for a value that cannot be written on one line.
 */
char *iniedit_set(const char *text, const char *section, const char *key, const char *value, struct err *err);

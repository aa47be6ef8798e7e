/* SPDX-License-Identifier: ISC */
#pragma once

#include "err.h"

/*
 * Removes the entry name below the directory parent_fd, with all that is in it: as the calling user, without
 * following a link, without crossing into another file system or mount, however deep, whatever the
 * modes. Absent is success. Errors: the first that stopped it; what could be removed is gone.
 */
int removal_tree(int parent_fd, const char *name, struct err *err);

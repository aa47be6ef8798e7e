/* SPDX-License-Identifier: ISC */
/* Descriptors that are -1 while not there. */
#pragma once

#include <unistd.h>

/* Closes it where it is open; it is -1 then. */
static inline void fd_close(int *fd) { if (*fd >= 0) close(*fd); *fd = -1; }

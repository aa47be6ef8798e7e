/* SPDX-License-Identifier: ISC */
/*
 * The gateway's own attempt at one part of the fence, by the system calls that bwrap makes, in a child that is
 * thrown away: so that what the kernel says is an errno and not another program's message.
 */
#pragma once

#include <stddef.h>

#include "facts.h"

#define ATTEMPTS_MAX 5

struct attempt {
	enum facet facet; /* 0: what is never given up: user, mount, ipc, uts and net namespaces */
	int errnum;       /* 0: it works */
	const char *how;  /* what was tried; static */
};

/* Tries all of them in the ladder's order; returns how many there are. */
size_t attempt_all(struct attempt attempts[ATTEMPTS_MAX]);

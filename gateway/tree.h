/* SPDX-License-Identifier: ISC */
/* Signals to all processes of a command, whatever groups and sessions they made for themselves. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * To the group that the namespace's init leads, to a terminal's foreground group (0: none), and to what the init has as
 * children: the command and its orphans; where is_deep, also to each leader of a group below them.
 */
void tree_signal(pid_t init, pid_t foreground, bool is_deep, int signum);

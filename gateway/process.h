/* SPDX-License-Identifier: ISC */
/* What /proc says of a process, proc(5). */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct process {
	pid_t pid;
	char name[16];            /* its program's, cut as comm is: TASK_COMM_LEN */
	char state;               /* 'S' asleep, 'Z' a zombie, … */
	pid_t parent;
	unsigned flags;           /* PF_* of include/linux/sched.h */
	unsigned long long start; /* clock ticks since boot: with the pid, a name that is never given twice in a boot */
};

#define PROCESS_EXITING 0x4u /* PF_EXITING */

/* 0, or -ESRCH where there is no such process or it may not be seen. */
int process_read(struct process *process, pid_t pid);

/* True where the process is still the one that started then, and no zombie. */
bool process_is(pid_t pid, unsigned long long start);

/* True where the process lives and its program has that file name; program may be a path. */
bool process_runs(pid_t pid, const char *program);

/* Waits until the process runs something else or has ended, for at most ms milliseconds. */
void process_outgrow(pid_t pid, const char *program, int ms);

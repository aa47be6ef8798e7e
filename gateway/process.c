/* SPDX-License-Identifier: ISC */
/* Owns reading /proc/PID/stat; decides nothing. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int process_read(struct process *process, pid_t pid)
{
	char path[64], text[1024];
	const char *at;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -ESRCH;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	/* The name in brackets may hold anything, so the fields are counted from its end. */
	at = strrchr(text, ')');
	*process = (struct process){ .pid = pid };
	if (!at || sscanf(at + 1, " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &process->state,
			   &process->parent, &process->flags, &process->start) != 4)
		return -ESRCH;
	return 0;
}

bool process_is(pid_t pid, unsigned long long start)
{
	struct process process;

	return process_read(&process, pid) == 0 && process.start == start && process.state != 'Z' && process.state != 'X';
}

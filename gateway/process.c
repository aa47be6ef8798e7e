/* SPDX-License-Identifier: ISC */
/* Owns reading /proc/PID/stat, and waiting by it; decides nothing. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

#define STEP_MS 5

int process_read(struct process *process, pid_t pid)
{
	char path[64], text[1024];
	const char *name, *at;
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
	name = strchr(text, '(');
	at = strrchr(text, ')');
	*process = (struct process){ .pid = pid };
	if (!name || !at || sscanf(at + 1, " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &process->state,
			   &process->parent, &process->flags, &process->start) != 4)
		return -ESRCH;
	snprintf(process->name, sizeof(process->name), "%.*s", (int)(at - name - 1), name + 1);
	return 0;
}

static bool is_alive(const struct process *process)
{
	return process->state != 'Z' && process->state != 'X';
}

bool process_is(pid_t pid, unsigned long long start)
{
	struct process process;

	return process_read(&process, pid) == 0 && process.start == start && is_alive(&process);
}

bool process_runs(pid_t pid, const char *program)
{
	const char *slash = strrchr(program, '/');
	struct process process;

	return process_read(&process, pid) == 0 && is_alive(&process) &&
		strncmp(process.name, slash ? slash + 1 : program, sizeof(process.name) - 1) == 0;
}

void process_outgrow(pid_t pid, const char *program, int ms)
{
	int64_t until = clock_ms() + ms;

	while (process_runs(pid, program) && clock_ms() < until)
		poll(NULL, 0, STEP_MS);
}

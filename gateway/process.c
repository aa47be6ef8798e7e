/* SPDX-License-Identifier: ISC */
/* Owns reading /proc/PID/stat, and waiting by it; decides nothing. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "text.h"

#define STEP_MS 5

/* proc_pid_stat(5); the numbers are those of its fields. */
#define FIELD_STATE 3
#define FIELD_PPID 4
#define FIELD_FLAGS 9
#define FIELD_STARTTIME 22

int process_read(struct process *process, pid_t pid)
{
	char path[64], text[1024];
	const char *name, *at, *start;
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
	if (!name || !at)
		return -ESRCH;
	snprintf(process->name, sizeof(process->name), "%.*s", (int)(at - name - 1), name + 1);
	at = text_skip_words(at + 1, 0);
	start = text_skip_words(at, FIELD_STARTTIME - FIELD_STATE);
	if (!*start)
		return -ESRCH;
	process->state = *at;
	process->parent = (pid_t)strtol(text_skip_words(at, FIELD_PPID - FIELD_STATE), NULL, 10);
	process->flags = (unsigned)strtoul(text_skip_words(at, FIELD_FLAGS - FIELD_STATE), NULL, 10);
	process->start = strtoull(start, NULL, 10);
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

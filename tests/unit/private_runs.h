/* SPDX-License-Identifier: ISC */
/* Runs without gateways: a place below the account's directory, its note, and a process that holds it. */
#pragma once

#include <signal.h>
#include <sys/file.h>

#include "private_system.h"
#include "process.h"

#define RUNS_DIR "/var/lib/stockade/tmp/nobody/runs"

static inline void runs_host(void)
{
	system_host();
	if (mount("none", "/run", "tmpfs", 0, "mode=0755") || mkdir(RUNS_DIR, 0700) || chown(RUNS_DIR, SYSTEM_USER, SYSTEM_USER))
		_exit(NO_SYSTEM);
}

static inline unsigned long long runs_start_of(pid_t pid)
{
	struct process process;

	CHECK(process_read(&process, pid) == 0);
	return process.start;
}

static inline void runs_replace(char *text, size_t size, const char *mark, unsigned long long number)
{
	char *at = strstr(text, mark), rest[4096];

	if (!at)
		return;
	snprintf(rest, sizeof(rest), "%s", at + strlen(mark));
	snprintf(at, size - (size_t)(at - text), "%llu%s", number, rest);
}

/* A process of the user's that holds runs/NAME; PID and START in the note are its own. */
static inline pid_t runs_start(const char *name, uid_t uid, const char *note)
{
	int ends[2];
	char byte = 0;
	pid_t pid;

	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	pid = fork();
	if (pid == 0) {
		char path[256], text[4096];
		int fd;

		snprintf(text, sizeof(text), "%s", note);
		runs_replace(text, sizeof(text), "PID", (unsigned long long)getpid());
		runs_replace(text, sizeof(text), "START", runs_start_of(getpid()));
		snprintf(path, sizeof(path), RUNS_DIR "/%s", name);
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (fd < 0 || fchown(fd, uid, uid) || flock(fd, LOCK_EX) || write(fd, text, strlen(text)) < 0 || setgid(uid) || setuid(uid) ||
			write(ends[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	CHECK(read(ends[0], &byte, 1) == 1);
	close(ends[0]);
	return pid;
}

static inline void runs_end(pid_t pid)
{
	kill(pid, SIGKILL);
	temp_wait(pid);
}

/* SPDX-License-Identifier: ISC */
/* Subcommands of the tool, run and read, on a system of the test's own. */
#pragma once

#include "private_system.h"

/* Runs a subcommand in a child; what it wrote is in shown and complained. */
static char shown[65536], complained[4096];

static inline int command_run(int (*command)(int argc, char *argv[]), const char *const *words)
{
	char *argv[16] = { (char *)"command" };
	int argc = 1, out = open("/mnt/shown", O_RDWR | O_CREAT | O_TRUNC, 0600), err = open("/mnt/complained", O_RDWR | O_CREAT | O_TRUNC, 0600), status;
	pid_t pid;
	ssize_t len;

	while (*words && argc < 15)
		argv[argc++] = (char *)*words++;
	CHECK(out >= 0 && err >= 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		status = command(argc, argv);
		fflush(NULL);
		_exit(status);
	}
	status = temp_wait(pid);
	len = pread(out, shown, sizeof(shown) - 1, 0);
	shown[len > 0 ? len : 0] = '\0';
	len = pread(err, complained, sizeof(complained) - 1, 0);
	complained[len > 0 ? len : 0] = '\0';
	close(out);
	close(err);
	return status;
}

#define RUN_COMMAND(command, ...) command_run(command, (const char *const[]){ __VA_ARGS__, NULL })

static inline bool is_shown(const char *part)
{
	if (strstr(shown, part))
		return true;
	fprintf(stderr, "no \"%s\" in:\n%s\n", part, shown);
	return false;
}

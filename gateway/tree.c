/* SPDX-License-Identifier: ISC */
/* Owns the way from the namespace's init to its processes (proc_pid_task(5), children); decides nothing. */
#include "tree.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

#define DEPTH 16

/* Below the init's own children only leaders are told, so that nobody hears it twice. */
static void signal_children(pid_t init, pid_t parent, int depth, int signum)
{
	char path[64], text[4096], *save = NULL;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = '\0';
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		uint64_t pid;
		pid_t group;

		if (text_number(word, INT_MAX, &pid) || pid <= 1)
			continue;
		if (depth > 1)
			signal_children(init, (pid_t)pid, depth - 1, signum);
		group = getpgid((pid_t)pid);
		if (group == (pid_t)pid)
			kill(-group, signum);
		else if (group != init && parent == init)
			kill((pid_t)pid, signum);
	}
}

void tree_signal(pid_t init, pid_t foreground, bool is_deep, int signum)
{
	if (foreground)
		kill(-foreground, signum);
	kill(-init, signum);
	signal_children(init, init, is_deep ? DEPTH : 1, signum);
}

/* SPDX-License-Identifier: ISC */
/* Real files for tests that touch the system: a directory of the test's own, removed at its end. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct temp {
	char path[64];
	int fd;
};

/* What the machine lacks is a skip with its reason, and a failure where the machine is meant to have it. */
#define temp_skip(...) \
	do { \
		const char *must_ = getenv("STOCKADE_MUST_WORK"); \
		if (must_ && strcmp(must_, "1") == 0) \
			fail_msg(__VA_ARGS__); \
		print_message("skipped: "); \
		print_message(__VA_ARGS__); \
		print_message("\n"); \
		skip(); \
	} while (0)

/* Of mode 0755 below a directory that is root's alone for root, below /tmp for others. */
static inline int temp_make(void **state)
{
	struct temp *temp = calloc(1, sizeof(*temp));

	if (!temp)
		return -1;
	snprintf(temp->path, sizeof(temp->path), "%s/stockade-unit-XXXXXX", getuid() == 0 ? "/var/lib" : "/tmp");
	if (!mkdtemp(temp->path) || chmod(temp->path, 0755) < 0)
		return -1;
	temp->fd = open(temp->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	umask(022);
	*state = temp;
	return temp->fd < 0 ? -1 : 0;
}

static inline int temp_remove(void **state)
{
	struct temp *temp = *state;
	char command[256];
	int r;

	snprintf(command, sizeof(command), "chmod -R u+rwx '%s' 2>/dev/null; exec rm -rf -- '%s'", temp->path, temp->path);
	close(temp->fd);
	r = system(command);
	free(temp);
	return r == 0 ? 0 : -1;
}

#define temp_test(function) cmocka_unit_test_setup_teardown(function, temp_make, temp_remove)

/* All directories of the path below the temporary one, 0755. */
static inline void temp_dir(const struct temp *temp, const char *path)
{
	char part[4096];

	for (const char *slash = strchr(path, '/');; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", slash ? (int)(slash - path) : (int)strlen(path), path);
		if (mkdirat(temp->fd, part, 0755) < 0 && errno != EEXIST)
			fail_msg("%s: %s", part, strerror(errno));
		if (!slash)
			return;
	}
}

static inline void temp_file(const struct temp *temp, const char *path, const char *text, mode_t mode)
{
	int fd = openat(temp->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || fchmod(fd, mode) < 0)
		fail_msg("%s: %s", path, strerror(errno));
	close(fd);
}

static inline void temp_link(const struct temp *temp, const char *target, const char *path)
{
	if (symlinkat(target, temp->fd, path) < 0)
		fail_msg("%s: %s", path, strerror(errno));
}

static inline bool temp_has(const struct temp *temp, const char *path)
{
	struct stat st;

	return fstatat(temp->fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Waits for the child; its exit status, or 128 and its signal. */
static inline int temp_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail_msg("waitpid: %s", strerror(errno));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

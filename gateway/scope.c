/* SPDX-License-Identifier: ISC */
/* Owns reading and killing by cgroup2 files (Documentation/admin-guide/cgroup-v2.rst); decides nothing. */
#include "scope.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static ssize_t read_at(int dir_fd, const char *file, char *buf, size_t size)
{
	int fd = openat(dir_fd, file, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, buf, size - 1);
	if (len < 0)
		len = -errno;
	else
		buf[len] = '\0';
	close(fd);
	return len;
}

/* The "0::" line of /proc/PID/cgroup, cgroups(7). */
static int own_line(pid_t pid, char *path, size_t size, struct err *err)
{
	char proc[64], text[4096], *line, *end;
	ssize_t len;

	snprintf(proc, sizeof(proc), "/proc/%d/cgroup", pid);
	len = read_at(AT_FDCWD, proc, text, sizeof(text));
	if (len < 0)
		return err_set(err, (int)-len, "%s: %s", proc, strerror((int)-len));
	line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
	if (!line)
		return err_set(err, ENOENT, "%s: has no cgroup2 line", proc);
	line = strchr(line, '/');
	end = line ? strchr(line, '\n') : NULL;
	if (!end || (size_t)(end - line) >= size)
		return err_set(err, EINVAL, "%s: cannot be understood", proc);
	*end = '\0';
	memcpy(path, line, (size_t)(end - line) + 1);
	return 0;
}

int scope_open(struct scope *scope, pid_t pid, const char *unit, struct err *err)
{
	char directory[PATH_MAX];
	const char *base;
	int r = own_line(pid, scope->path, sizeof(scope->path), err);

	if (r)
		return r;
	base = strrchr(scope->path, '/') + 1;
	if (strcmp(base, unit) != 0)
		return err_set(err, ENOENT, "the command is in %s, not in %s", scope->path, unit);
	snprintf(directory, sizeof(directory), "/sys/fs/cgroup%s", scope->path);
	scope->fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (scope->fd < 0) {
		/* A hybrid host keeps its v2 tree elsewhere, and no controllers in it. */
		snprintf(directory, sizeof(directory), "/sys/fs/cgroup/unified%s", scope->path);
		scope->fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	return scope->fd < 0 ? err_set(err, errno, "%s: %s", directory, strerror(errno)) : 0;
}

void scope_open_account(struct scope *scope, uid_t uid)
{
	char directory[600];

	snprintf(scope->path, sizeof(scope->path), "/user.slice/user-%u.slice", uid);
	snprintf(directory, sizeof(directory), "/sys/fs/cgroup%s", scope->path);
	scope->fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void scope_close(struct scope *scope)
{
	if (scope->fd >= 0)
		close(scope->fd);
	scope->fd = -1;
}

int scope_read(const struct scope *scope, const char *file, char *buf, size_t size)
{
	ssize_t len = scope->fd < 0 ? -ENOENT : read_at(scope->fd, file, buf, size);

	if (len < 0)
		return (int)len;
	if (len > 0 && buf[len - 1] == '\n')
		buf[len - 1] = '\0';
	return 0;
}

long long scope_number(const struct scope *scope, const char *file, const char *key)
{
	char text[4096], needle[64];
	const char *at = text;

	if (scope_read(scope, file, text, sizeof(text)))
		return -1;
	if (key) {
		snprintf(needle, sizeof(needle), "%s ", key);
		at = text_has_prefix(text, needle) ? text : NULL;
		if (!at) {
			snprintf(needle, sizeof(needle), "\n%s ", key);
			at = strstr(text, needle);
		}
		if (!at)
			return -1;
		at += strlen(needle);
	}
	return strtoll(at, NULL, 10);
}

static int kill_each(const struct scope *scope)
{
	char text[65536], *save = NULL;
	int r = scope_read(scope, "cgroup.procs", text, sizeof(text));

	for (char *line = r ? NULL : strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		uint64_t pid;

		if (text_number(line, INT_MAX, &pid) == 0 && pid > 1)
			kill((pid_t)pid, SIGKILL);
	}
	return r;
}

int scope_kill(const struct scope *scope)
{
	int fd, r = 0;

	if (scope->fd < 0)
		return -ENOENT;
	fd = openat(scope->fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return kill_each(scope);
	if (write(fd, "1", 1) != 1)
		r = -errno;
	close(fd);
	return r;
}

bool scope_is_populated(const struct scope *scope)
{
	return scope_number(scope, "cgroup.events", "populated") > 0;
}

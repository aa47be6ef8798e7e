/* SPDX-License-Identifier: ISC */
/* Finds a kernel that is too old, and settings of it that leave less between the account and others than the fence counts on. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#define OLDEST_MAJOR 5
#define OLDEST_MINOR 10
#define CURE_SYSCTL "echo '%s = %s' >>/etc/sysctl.d/60-stockade.conf && sysctl -w %s=%s"

/* The first line of a file below /proc/sys; false where the kernel has no such setting. */
static bool read_setting(const struct check *check, const char *name, char *value, size_t size)
{
	char path[128];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "proc/sys/%s", name);
	fd = openat(check->root_fd, path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, value, size - 1);
	if (fd >= 0)
		close(fd);
	value[len > 0 ? len : 0] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return len > 0;
}

static void find_old(struct check *check)
{
	char release[128], *end;
	unsigned long major, minor;

	if (!read_setting(check, "kernel/osrelease", release, sizeof(release)))
		return;
	major = strtoul(release, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	if (major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR))
		return;
	check_cure(check_add(check, CHECK_KERNEL_OLD, "/proc/sys/kernel/osrelease",
			   "is %s: below %d.%d parts of the fence are missing, and known ways out of a user namespace are open", release, OLDEST_MAJOR, OLDEST_MINOR),
		"apt-get install -y linux-image-\"$(dpkg --print-architecture)\"   # then boot it");
}

/* With a pid namespace there is nothing to trace; Debian's own setting is 0. */
static void find_ptrace(struct check *check)
{
	static const char name[] = "kernel.yama.ptrace_scope";
	char value[16];

	if (!read_setting(check, "kernel/yama/ptrace_scope", value, sizeof(value)) || strcmp(value, "0") != 0)
		return;
	check_cure(check_add(check, CHECK_KERNEL_PTRACE, name,
			   "is 0, and this host gives no pid namespace: only the user namespace keeps a command from tracing the account's other processes"),
		CURE_SYSCTL, name, "1", name, "1");
}

void check_kernel(struct check *check, bool has_pid_namespace)
{
	find_old(check);
	if (!has_pid_namespace)
		find_ptrace(check);
}

static bool is_mount_point(const struct check *check, const char *path)
{
	struct stat here, above;
	char parent[4096];

	snprintf(parent, sizeof(parent), "%s/..", path + strspn(path, "/"));
	return fstatat(check->root_fd, path + strspn(path, "/"), &here, 0) < 0 || fstatat(check->root_fd, parent, &above, 0) < 0 ||
		here.st_dev != above.st_dev;
}

void check_kernel_hard_links(struct check *check)
{
	static const char name[] = "fs.protected_hardlinks";
	const struct profile *profile = &check->decision.profile;
	char value[16];

	if (!profile->workspace || profile->access != ACCESS_WRITE || is_mount_point(check, profile->workspace) ||
		!read_setting(check, "fs/protected_hardlinks", value, sizeof(value)) || strcmp(value, "0") != 0)
		return;
	check_cure(check_add(check, CHECK_KERNEL_HARD_LINKS, name,
			   "is 0, and %s is no file system of its own: whoever may write to it may link files of others into it, and the fence shows them",
			   profile->workspace),
		CURE_SYSCTL, name, "1", name, "1");
}

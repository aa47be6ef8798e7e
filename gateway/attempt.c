/* SPDX-License-Identifier: ISC */
/* Owns the attempts; what an errno means is decided in plan.c. Nothing outlives the child. */
#include "attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		r = errno;
	close(fd);
	return r;
}

/* user_namespaces(7): the caller's own ids, mapped to themselves. */
static int enter(int flags)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int r;

	if (unshare(CLONE_NEWUSER | flags) < 0)
		return errno;
	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	r = write_file("/proc/self/uid_map", map);
	if (r)
		return r;
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	r = write_file("/proc/self/gid_map", map);
	if (r == 0 && (flags & CLONE_NEWNS) && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		r = errno;
	return r;
}

static int try_base(void)
{
	return enter(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET);
}

static int wait_errno(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

/* A fresh /proc needs a pid namespace of its own, and that no part of the old one is covered (mount_namespaces(7)). */
static int try_pids(void)
{
	int r = enter(CLONE_NEWNS | CLONE_NEWPID);
	pid_t pid;

	if (r)
		return r;
	pid = fork();
	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(mount("proc", "/proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL) < 0 ? errno : 0);
	return wait_errno(pid);
}

static int try_dev(void)
{
	int r = enter(CLONE_NEWNS);

	if (r)
		return r;
	if (mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "mode=0755") < 0 || mkdir("/dev/pts", 0755) < 0 ||
		mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620") < 0)
		return errno;
	return 0;
}

static int try_cgroup(void)
{
	return unshare(CLONE_NEWUSER | CLONE_NEWCGROUP) < 0 ? errno : 0;
}

static int try_no_userns(void)
{
	int r = enter(0);

	return r ? r : write_file("/proc/sys/user/max_user_namespaces", "1");
}

static int in_child(int (*try)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0) {
		/* After a change of uid /proc/self is root's, and uid_map cannot be written (prctl(2) PR_SET_DUMPABLE). */
		if (prctl(PR_SET_DUMPABLE, 1) < 0)
			_exit(errno);
		_exit(try());
	}
	return wait_errno(pid);
}

size_t attempt_all(struct attempt attempts[ATTEMPTS_MAX])
{
	static const struct {
		enum facet facet;
		int (*try)(void);
		const char *how;
	} rows[ATTEMPTS_MAX] = {
		{ 0, try_base, "new user, mount, ipc, uts and net namespaces" },
		{ FACET_PIDNS, try_pids, "a fresh /proc in a new pid namespace" },
		{ FACET_DEV, try_dev, "a new devpts in a new /dev" },
		{ FACET_CGROUPNS, try_cgroup, "a new cgroup namespace" },
		{ FACET_USERNS, try_no_userns, "user.max_user_namespaces = 1 in a new user namespace" },
	};

	for (size_t i = 0; i < ATTEMPTS_MAX; i++)
		attempts[i] = (struct attempt){ rows[i].facet, in_child(rows[i].try), rows[i].how };
	return ATTEMPTS_MAX;
}

/* SPDX-License-Identifier: ISC */
/* Owns the moment between a killed gateway and the end of what it held. */
#include "guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "text.h"

#define ROUND_MS 20
#define ROUNDS 100
#define PATIENCE (GUARD_PATIENCE_MS / ROUND_MS)

/* From the gateway, one message. Without a link: there is nothing more to do. */
struct order {
	char link[64];    /* of the pipe, as in /proc/PID/fd */
	char starter[64]; /* its name, "" for none */
};

/* True where the process has the pipe open. */
static bool has_pipe(const char *pid, const char *link)
{
	char path[300], target[64];
	const struct dirent *entry;
	bool is_found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir && !is_found && (entry = readdir(dir))) {
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		target[len > 0 ? len : 0] = '\0';
		is_found = strcmp(target, link) == 0;
	}
	if (dir)
		closedir(dir);
	return is_found;
}

/* Counts them all, those that are spared too. */
static unsigned kill_holders(const char *link, const char *spared)
{
	const struct dirent *entry;
	unsigned count = 0;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir))) {
		uint64_t pid;

		if (text_number(entry->d_name, INT_MAX, &pid) || pid <= 1 || (pid_t)pid == getpid() || !has_pipe(entry->d_name, link))
			continue;
		count++;
		if (!spared[0] || !process_runs((pid_t)pid, spared))
			kill((pid_t)pid, SIGKILL);
	}
	if (dir)
		closedir(dir);
	return count;
}

/* In the guard: no descriptor of the client's, so that its end is not held up. */
static void stand_guard(int fd)
{
	struct order order = { .link = "" }, next;
	unsigned quiet = 0;

	prctl(PR_SET_NAME, "stockade-guard");
	if (dup2(fd, 3) != 3)
		_exit(1);
	close(0);
	close(1);
	close(2);
	close_range(4, ~0u, 0);
	while (read(3, &next, sizeof(next)) == (ssize_t)sizeof(next)) {
		if (!next.link[0])
			_exit(0);
		order = next;
	}
	/* The chain may be about to clone: twice nothing is nothing. */
	for (int round = 0; order.link[0] && round < ROUNDS && quiet < 5; round++) {
		quiet = kill_holders(order.link, round < PATIENCE ? order.starter : "") ? 0 : quiet + 1;
		nanosleep(&(struct timespec){ 0, ROUND_MS * 1000000 }, NULL);
	}
	_exit(0);
}

int guard_start(struct guard *guard, struct err *err)
{
	sigset_t all, before;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, errno, "no guard: %s", strerror(errno));
	/* What is sent to the whole process group is not for the guard. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	guard->pid = fork();
	if (guard->pid == 0) {
		close(ends[1]);
		stand_guard(ends[0]);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[0]);
	if (guard->pid < 0) {
		close(ends[1]);
		return err_set(err, EAGAIN, "no guard: a process cannot be had");
	}
	guard->fd = ends[1];
	return 0;
}

static bool send_order(const struct guard *guard, const struct order *order)
{
	return send(guard->fd, order, sizeof(*order), MSG_NOSIGNAL) == (ssize_t)sizeof(*order);
}

void guard_stop(struct guard *guard)
{
	const struct order none = { .link = "" };

	if (guard->fd >= 0 && !send_order(guard, &none) && guard->pid > 0)
		kill(guard->pid, SIGKILL);
	if (guard->fd >= 0)
		close(guard->fd);
	while (guard->pid > 0 && waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*guard = (struct guard)GUARD_INIT;
}

int guard_watch(struct guard *guard, int pipe_fd, const char *starter, struct err *err)
{
	const char *slash = starter ? strrchr(starter, '/') : NULL;
	struct order order = { .link = "" };
	struct stat st;
	int r;

	if (fstat(pipe_fd, &st) < 0)
		return err_set(err, errno, "no guard: %s", strerror(errno));
	snprintf(order.link, sizeof(order.link), "pipe:[%lu]", (unsigned long)st.st_ino);
	snprintf(order.starter, sizeof(order.starter), "%s", slash ? slash + 1 : starter ? starter : "");
	if (guard->pid > 0 && send_order(guard, &order))
		return 0;
	guard_stop(guard);
	r = guard_start(guard, err);
	if (r)
		return r;
	return send_order(guard, &order) ? 0 : err_set(err, EPIPE, "the guard is gone");
}

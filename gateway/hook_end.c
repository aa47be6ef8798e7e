/* SPDX-License-Identifier: ISC */
/* Owns the end of a connection: its runs, its mount, its directory and its record. */
#include "hook_end.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "outcome.h"
#include "place.h"
#include "process.h"
#include "quota.h"
#include "record.h"

/* What an ended run gets after its grace before it is killed. */
#define END_SECONDS 5

void hook_log_refusal(struct hook *hook, enum plan_reason reason, const char *detail)
{
	struct record record;
	struct err ignored;

	record_begin(&record, "refuse");
	record_add(&record, "session", hook->connection.id);
	record_add(&record, "user", hook->input->user);
	record_add(&record, "actor", NULL);
	record_add(&record, "from", hook->input->host);
	record_add(&record, "kind", "hook");
	record_add(&record, "reason", plan_reason_name(reason));
	record_add(&record, "stage", hook->input->phase);
	record_add(&record, "detail", detail);
	log_send(&hook->log, record.text, &ignored);
}

void hook_log_lost(void *data, const char *note)
{
	struct hook *hook = data;
	struct record record;
	struct err ignored;

	record_begin_lost(&record, note);
	log_send(&hook->log, record.text, &ignored);
}

int hook_as_account(struct hook *hook, int (*work)(struct hook *hook))
{
	const struct account *account = &hook->account;
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return EXIT_FAILED;
	if (pid == 0) {
		if (setgroups(account->groups.len, account->gids) < 0 || setgid(account->gid) < 0 || setuid(account->uid) < 0)
			_exit(EXIT_FAILED);
		_exit(work(hook));
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

void hook_account_path(const struct hook *hook, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", hook->connection.dir, hook->account.name);
}

void hook_directory_path(const struct hook *hook, char *path, size_t size)
{
	snprintf(path, size, "%s/%s/%s", hook->connection.dir, hook->account.name, hook->connection.id);
}

int hook_open_session(struct hook *hook, struct session *session)
{
	struct err err = { "" };

	session_init(session);
	if (session_find_base(session, hook->connection.dir, "", &hook->account, &err) == 0)
		return 0;
	hook_log_refusal(hook, REASON_SESSION, err.text);
	return EXIT_FAILED;
}

struct ending {
	struct hook *hook;
	int signum;
	unsigned alive;
};

/* "conn=ID pid=N start=N" on the note's second line and after. */
static bool is_of_connection(const char *note, const char *id, pid_t *pid)
{
	char needle[96];
	const char *at = strstr(note, "\npid=");
	unsigned long long start;
	int number;

	snprintf(needle, sizeof(needle), "\nconn=%s\n", id);
	if (!strstr(note, needle) || !at || sscanf(at, "\npid=%d start=%llu", &number, &start) != 2)
		return false;
	*pid = process_is(number, start) ? number : 0;
	return true;
}

static void end_run(void *data, const char *id, const char *actor, const char *note)
{
	struct ending *ending = data;
	pid_t pid;

	(void)id;
	(void)actor;
	if (!is_of_connection(note, ending->hook->connection.id, &pid))
		return;
	ending->alive++;
	if (pid > 1)
		kill(pid, ending->signum);
}

static void lose_run(void *data, const char *note)
{
	const struct ending *ending = data;

	hook_log_lost(ending->hook, note);
}

/* Polite first; the gateways have their own ladder, and get its time. */
static int end_runs(struct hook *hook)
{
	uint64_t patience = (hook->profile.grace == PROFILE_NONE ? 10 : hook->profile.grace) + END_SECONDS;
	struct session session;
	struct err err = { "" };

	if (hook_open_session(hook, &session))
		return EXIT_FAILED;
	for (uint64_t waited = 0; waited < (patience + END_SECONDS) * 20; waited++) {
		struct ending ending = { .hook = hook };

		if (waited == 0)
			ending.signum = SIGHUP;
		if (waited == patience * 20)
			ending.signum = SIGKILL;
		if (place_each(&session, end_run, lose_run, &ending, &err) || ending.alive == 0)
			break;
		nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
	}
	session_close(&session, &err);
	return 0;
}

static bool is_not_this(void *data, const char *name)
{
	const struct hook *hook = data;

	return strcmp(name, hook->connection.id) != 0;
}

int hook_remove_directory(struct hook *hook)
{
	struct session session;
	struct err err = { "" };

	if (hook_open_session(hook, &session))
		return EXIT_FAILED;
	session_sweep(&session, is_not_this, hook, &err);
	session_close(&session, &err);
	return 0;
}

void hook_unmount(const struct hook *hook)
{
	char path[HOOK_PATH_SIZE];

	hook_directory_path(hook, path, sizeof(path));
	while (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
		;
}

void hook_end_connection(struct hook *hook)
{
	char path[HOOK_PATH_SIZE];
	int fd, base_fd;
	unsigned project;

	hook_account_path(hook, path, sizeof(path));
	base_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	hook_as_account(hook, end_runs);
	hook_unmount(hook);
	fd = openat(base_fd, hook->connection.id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	project = fd < 0 || !hook->connection.has_size ? 0 : quota_project(fd);
	if (fd >= 0)
		close(fd);
	hook_as_account(hook, hook_remove_directory);
	if (base_fd >= 0) {
		quota_close(base_fd, project);
		close(base_fd);
	}
	connection_remove(hook->account.uid, hook->connection.id);
}

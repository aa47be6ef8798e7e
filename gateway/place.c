/* SPDX-License-Identifier: ISC */
/*
 * Owns the files of BASE/runs: who lives, who is dead, who waits. The lock of the directory is held for each look, never
 * while a run or a wait goes on.
 */
#include "place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "chain.h"
#include "clock.h"
#include "scope.h"
#include "text.h"

#define LOCK_WAIT_MS 10000
#define QUEUE_STEP_MS 100
/* A file of this name waits; behind it when it came, so that names sort by age, then its run's name. */
#define WAITING "wait-"

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* flock(2) has no time limit of its own; whoever holds this lock is about to let it go. */
int place_lock(const struct session *session, struct err *err)
{
	for (int waited = 0; flock(session->runs_fd, LOCK_EX | LOCK_NB) < 0; waited += 5) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_set(err, errno, "%s/runs: cannot be locked: %s", session->base, strerror(errno));
		if (waited >= LOCK_WAIT_MS)
			return err_set(err, ETIMEDOUT, "%s/runs: is locked by another run", session->base);
		sleep_ms(5);
	}
	return 0;
}

void place_unlock(const struct session *session)
{
	flock(session->runs_fd, LOCK_UN);
}

/* "scope=PATH" of the note: what of the run may still be there is killed by its cgroup. */
static void kill_scope(const char *note, const char *id)
{
	const char *at = strstr(note, "\nscope=/");
	struct scope scope = SCOPE_INIT;
	char path[600], suffix[64];

	if (!at)
		return;
	at += strlen("\nscope=");
	snprintf(scope.path, sizeof(scope.path), "%.*s", (int)strcspn(at, " \n"), at);
	snprintf(suffix, sizeof(suffix), "/stockade-%s.scope", id);
	if (!text_has_suffix(scope.path, suffix))
		return;
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s", scope.path);
	scope.fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	scope_kill(&scope);
	scope_close(&scope);
}

/* The lock of the file is ours, so its run is dead. */
static void bury(const struct session *session, int fd, const char *name, place_lost *lost, void *data)
{
	char note[PLACE_NOTE_MAX + 1], id[64];
	ssize_t len = pread(fd, note, PLACE_NOTE_MAX, 0);

	snprintf(id, sizeof(id), "%.*s", (int)strcspn(name, "."), name);
	note[len > 0 ? len : 0] = '\0';
	kill_scope(note, id);
	note[strcspn(note, "\n")] = '\0';
	/* Without words on its first line the run was never started. */
	if (note[0])
		lost(data, note);
	session_sweep_one(session, id);
	unlinkat(session->runs_fd, name, 0);
}

static void report(int fd, const char *name, place_run *each, void *data)
{
	const char *dot = strchr(name, '.');
	char note[PLACE_NOTE_MAX + 1], id[64];
	ssize_t len = pread(fd, note, PLACE_NOTE_MAX, 0);

	note[len > 0 ? len : 0] = '\0';
	snprintf(id, sizeof(id), "%.*s", (int)(dot - name), name);
	each(data, id, dot + 1, note);
}

static int each_locked(const struct session *session, place_run *each, place_lost *lost, void *data, struct err *err)
{
	int copy = openat(session->runs_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return err_set(err, EIO, "%s/runs: %s", session->base, strerror(errno));
	}
	while ((entry = readdir(dir))) {
		int fd;

		if (entry->d_name[0] == '.' || !strchr(entry->d_name, '.') || text_has_prefix(entry->d_name, WAITING))
			continue;
		fd = openat(session->runs_fd, entry->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			bury(session, fd, entry->d_name, lost, data);
		else
			report(fd, entry->d_name, each, data);
		close(fd);
	}
	closedir(dir);
	return 0;
}

int place_each(const struct session *session, place_run *each, place_lost *lost, void *data, struct err *err)
{
	int r = place_lock(session, err);

	if (r)
		return r;
	r = each_locked(session, each, lost, data, err);
	place_unlock(session);
	return r;
}

struct count {
	uint64_t all, actors, before;
	const struct place_limits *limits;
	place_lost *lost;
	void *data;
};

static void count_run(void *data, const char *id, const char *actor, const char *note)
{
	struct count *count = data;

	(void)id;
	(void)note;
	count->all++;
	count->actors += count->limits->actor && strcmp(actor, count->limits->actor) == 0;
}

static void pass_lost(void *data, const char *note)
{
	const struct count *count = data;

	count->lost(count->data, note);
}

static int is_waiting(const struct dirent *entry)
{
	return text_has_prefix(entry->d_name, WAITING) && strchr(entry->d_name, '.');
}

static int is_running(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strchr(entry->d_name, '.') && !is_waiting(entry);
}

static uint64_t count_actor(struct dirent *const *entries, int len, const char *actor)
{
	uint64_t count = 0;

	for (int i = 0; i < len; i++)
		count += strcmp(strchr(entries[i]->d_name, '.') + 1, actor) == 0;
	return count;
}

/* Dead ones are cleared away. */
static bool still_waits(const struct session *session, const char *name)
{
	int fd = openat(session->runs_fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	bool is_alive = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;

	if (fd >= 0)
		close(fd);
	if (!is_alive)
		unlinkat(session->runs_fd, name, 0);
	return is_alive;
}

/* Who came before and could have a place: one whose actor has no room holds nobody up. */
static int count_waiting(const struct session *session, struct count *count, struct err *err)
{
	struct dirent **waiting = NULL, **running = NULL;
	int waits = scandirat(session->runs_fd, ".", &waiting, is_waiting, alphasort);
	int runs = waits < 0 ? -1 : scandirat(session->runs_fd, ".", &running, is_running, NULL);

	for (int i = 0; runs >= 0 && i < waits; i++) {
		const char *name = waiting[i]->d_name, *actor = strchr(name, '.') + 1;

		if (session->run_fd >= 0 && strcmp(name, session->run_file) >= 0)
			break;
		if (actor[0] && count_actor(running, runs, actor) + count_actor(waiting, i, actor) >= count->limits->actor_sessions_max)
			continue;
		count->before += still_waits(session, name);
	}
	for (int i = 0; i < waits; i++)
		free(waiting[i]);
	for (int i = 0; i < runs; i++)
		free(running[i]);
	free(waiting);
	free(running);
	return runs < 0 ? err_set(err, EIO, "%s/runs: cannot be read", session->base) : 0;
}

static int make_file(struct session *session, const char *prefix, const char *actor, struct err *err)
{
	snprintf(session->run_file, sizeof(session->run_file), "%s%s.%s", prefix, session->id, actor ? actor : "");
	session->run_fd = openat(session->runs_fd, session->run_file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (session->run_fd < 0 || flock(session->run_fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, errno, "%s/runs/%s: %s", session->base, session->run_file, strerror(errno));
	return 0;
}

static int make_waiting_file(struct session *session, const char *actor, struct err *err)
{
	char prefix[64];
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(prefix, sizeof(prefix), WAITING "%012lld%09ld-", (long long)now.tv_sec, now.tv_nsec);
	return make_file(session, prefix, actor, err);
}

static int try_locked(struct session *session, struct count *count, struct err *err)
{
	const struct place_limits *limits = count->limits;
	int r = each_locked(session, count_run, pass_lost, count, err);

	if (r == 0)
		r = count_waiting(session, count, err);
	if (r)
		return r;
	if (limits->actor && count->actors >= limits->actor_sessions_max)
		r = err_set(err, EBUSY, "you already run %" PRIu64 " commands on this account, and no more may run at once; try again later",
			count->actors);
	else if (limits->sessions_max - count->before <= count->all || count->before > limits->sessions_max)
		r = err_set(err, EBUSY, "this account already runs %" PRIu64 " commands, and no more may run at once; try again later", count->all);
	if (r == 0) {
		place_leave(session);
		return make_file(session, "", limits->actor, err);
	}
	/* Once in the queue, always at the same place in it. */
	if (limits->queue && session->run_fd < 0 && make_waiting_file(session, limits->actor, err))
		return -EIO;
	return r;
}

/* Waits a little for the end of the wait: the client's absence or a signal. */
static int wait_queued(int stop_fd, int signal_fd, struct err *err)
{
	struct pollfd items[] = { { .fd = stop_fd }, { .fd = signal_fd, .events = POLLIN } };

	if (poll(items, 2, QUEUE_STEP_MS) <= 0)
		return 0;
	if (items[0].revents & (POLLERR | POLLHUP | POLLNVAL))
		return err_set(err, ECANCELED, "the client went away while it waited for a place");
	return items[1].revents && chain_take_signal(signal_fd, err) ? -ECANCELED : 0;
}

int place_take(struct session *session, const struct place_limits *limits, int stop_fd, int signal_fd, place_lost *lost, void *data,
	struct err *err)
{
	int64_t begin = clock_ms();
	int r;

	for (;;) {
		struct count count = { .limits = limits, .lost = lost, .data = data };

		r = place_lock(session, err);
		if (r)
			break;
		r = try_locked(session, &count, err);
		place_unlock(session);
		if (r != -EBUSY || (clock_ms() - begin) / 1000 >= (int64_t)limits->queue)
			break;
		r = wait_queued(stop_fd, signal_fd, err);
		if (r)
			break;
	}
	if (r)
		place_leave(session);
	return r;
}

void place_leave(struct session *session)
{
	if (session->run_fd < 0)
		return;
	unlinkat(session->runs_fd, session->run_file, 0);
	close(session->run_fd);
	session->run_fd = -1;
}

int place_note(struct session *session, const char *note)
{
	size_t len = strlen(note);

	ssize_t put;

	if (len > PLACE_NOTE_MAX)
		return -E2BIG;
	put = pwrite(session->run_fd, note, len, 0);
	if (put < 0 || ftruncate(session->run_fd, (off_t)len) < 0)
		return -errno;
	return put == (ssize_t)len ? 0 : -ENOSPC;
}


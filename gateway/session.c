/* SPDX-License-Identifier: ISC */
/* Owns private directories and places; decides nothing. Runs with the account's rights, never as root. */
#include "session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "removal.h"
#include "scope.h"
#include "source.h"
#include "text.h"

#define LOCK_WAIT_MS 10000

void session_init(struct session *session)
{
	*session = (struct session){ .base_fd = -1, .runs_fd = -1, .dir_fd = -1, .run_fd = -1 };
	for (int i = 0; i < PRIVATE_COUNT; i++)
		session->private_fds[i] = -1;
}

int session_new_id(char id[SESSION_ID_SIZE], struct err *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned char bytes[SESSION_ID_SIZE - 1];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_set(err, EIO, "no random bytes: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(bytes); i++)
		id[i] = letters[bytes[i] % 32];
	id[SESSION_ID_SIZE - 1] = '\0';
	return 0;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Opened and known to be the account's alone: 0700, its own, reached over nobody else's directories. */
static int open_base(struct session *session, const char *path, const struct account *account, struct err *err)
{
	_cleanup_source_ struct source source = SOURCE_INIT;
	int r, root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char proc[64];

	if (root_fd < 0)
		return err_set(err, errno, "/: %s", strerror(errno));
	r = source_open(&source, root_fd, path, 0, err);
	close(root_fd);
	if (r)
		return r;
	if (source.kind == SOURCE_ABSENT)
		return err_set(err, ENOENT, "%s: does not exist", path);
	if (source.kind != SOURCE_DIR || source.uid != account->uid || (source.mode & 07777) != 0700)
		return err_set(err, EPERM, "%s: is not a directory of mode 0700 of the account's", path);
	if (source.loose[0] && strcmp(source.loose, source.path) != 0)
		return err_set(err, EPERM, "%s: %s is not root's, or others can write it", path, source.loose);
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", source.fd);
	session->base_fd = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (session->base_fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	snprintf(session->base, sizeof(session->base), "%s", source.path);
	return 0;
}

/* The runtime directory is the account's own, 0700, made by pam_systemd; its owner was verified with the facts. */
static int open_runtime_base(struct session *session, const char *runtime_dir, const struct account *account, struct err *err)
{
	struct stat st;

	snprintf(session->base, sizeof(session->base), "%s/stockade", runtime_dir);
	if (mkdir(session->base, 0700) < 0 && errno != EEXIST)
		return err_set(err, errno, "%s: %s", session->base, strerror(errno));
	session->base_fd = open(session->base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (session->base_fd < 0 || fstat(session->base_fd, &st) < 0)
		return err_set(err, errno, "%s: %s", session->base, strerror(errno));
	if (st.st_uid != account->uid || (st.st_mode & 077))
		return err_set(err, EPERM, "%s: is not the account's alone", session->base);
	return 0;
}

static int open_runs(struct session *session, struct err *err)
{
	if (mkdirat(session->base_fd, "runs", 0700) < 0 && errno != EEXIST)
		return err_set(err, errno, "%s/runs: %s", session->base, strerror(errno));
	session->runs_fd = openat(session->base_fd, "runs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return session->runs_fd < 0 ? err_set(err, errno, "%s/runs: %s", session->base, strerror(errno)) : 0;
}

int session_find_base(struct session *session, const char *tmp_dir, const char *runtime_dir, const struct account *account,
	struct err *err)
{
	char path[512];
	int r;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", tmp_dir, account->name) >= sizeof(path))
		return err_set(err, ENAMETOOLONG, "%s: path is too long", tmp_dir);
	r = open_base(session, path, account, err);
	if (r == -ENOENT && runtime_dir[0])
		r = open_runtime_base(session, runtime_dir, account, err);
	else if (r == -ENOENT)
		err_prefix(err, "neither root's directory nor a runtime directory");
	return r ? r : open_runs(session, err);
}

/* flock(2) has no time limit of its own; whoever holds this lock is about to let it go. */
static int lock_runs(const struct session *session, struct err *err)
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

/* Removes a private directory nobody holds. */
static void sweep_directory(const struct session *session, const char *name)
{
	struct err ignored;
	int fd = openat(session->base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		return;
	}
	removal_tree(session->base_fd, name, &ignored);
	if (fd >= 0)
		close(fd);
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
static void bury(const struct session *session, int fd, const char *name, session_lost *lost, void *data)
{
	char note[SESSION_NOTE_MAX + 1], id[64];
	ssize_t len = pread(fd, note, SESSION_NOTE_MAX, 0);

	snprintf(id, sizeof(id), "%.*s", (int)strcspn(name, "."), name);
	note[len > 0 ? len : 0] = '\0';
	kill_scope(note, id);
	note[strcspn(note, "\n")] = '\0';
	/* Without words on its first line the run was never started. */
	if (note[0])
		lost(data, note);
	sweep_directory(session, id);
	unlinkat(session->runs_fd, name, 0);
}

static void report(int fd, const char *name, session_run *each, void *data)
{
	const char *dot = strchr(name, '.');
	char note[SESSION_NOTE_MAX + 1], id[64];
	ssize_t len = pread(fd, note, SESSION_NOTE_MAX, 0);

	note[len > 0 ? len : 0] = '\0';
	snprintf(id, sizeof(id), "%.*s", (int)(dot - name), name);
	each(data, id, dot + 1, note);
}

static int each_locked(const struct session *session, session_run *each, session_lost *lost, void *data, struct err *err)
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

		if (entry->d_name[0] == '.' || !strchr(entry->d_name, '.'))
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

int session_each(const struct session *session, session_run *each, session_lost *lost, void *data, struct err *err)
{
	int r = lock_runs(session, err);

	if (r)
		return r;
	r = each_locked(session, each, lost, data, err);
	flock(session->runs_fd, LOCK_UN);
	return r;
}

struct count {
	uint64_t all, actors;
	const char *actor;
	session_lost *lost;
	void *data;
};

static void count_run(void *data, const char *id, const char *actor, const char *note)
{
	struct count *count = data;

	(void)id;
	(void)note;
	count->all++;
	count->actors += count->actor && strcmp(actor, count->actor) == 0;
}

static void pass_lost(void *data, const char *note)
{
	const struct count *count = data;

	count->lost(count->data, note);
}

static int make_run_file(struct session *session, const char *actor, struct err *err)
{
	snprintf(session->run_file, sizeof(session->run_file), "%s.%s", session->id, actor ? actor : "");
	session->run_fd = openat(session->runs_fd, session->run_file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (session->run_fd < 0 || flock(session->run_fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(err, errno, "%s/runs/%s: %s", session->base, session->run_file, strerror(errno));
	return 0;
}

static int try_place(struct session *session, const struct session_limits *limits, session_lost *lost, void *data, struct err *err)
{
	struct count count = { 0, 0, limits->actor, lost, data };
	int r = lock_runs(session, err);

	if (r)
		return r;
	r = each_locked(session, count_run, pass_lost, &count, err);
	if (r == 0 && count.all >= limits->sessions_max)
		r = err_set(err, EBUSY, "this account already runs %llu commands, and no more may run at once; try again later",
			(unsigned long long)count.all);
	if (r == 0 && limits->actor && count.actors >= limits->actor_sessions_max)
		r = err_set(err, EBUSY, "you already run %llu commands on this account, and no more may run at once; try again later",
			(unsigned long long)count.actors);
	if (r == 0)
		r = make_run_file(session, limits->actor, err);
	flock(session->runs_fd, LOCK_UN);
	return r;
}

int session_take_place(struct session *session, const struct session_limits *limits, session_lost *lost, void *data,
	struct err *err)
{
	for (uint64_t waited = 0;; waited += 100) {
		int r = try_place(session, limits, lost, data, err);

		if (r != -EBUSY || waited / 1000 >= limits->queue)
			return r;
		sleep_ms(100);
	}
}

int session_note(struct session *session, const char *note)
{
	size_t len = strlen(note);

	if (len > SESSION_NOTE_MAX || pwrite(session->run_fd, note, len, 0) != (ssize_t)len || ftruncate(session->run_fd, (off_t)len) < 0)
		return -EIO;
	return 0;
}

static int make_private(struct session *session, enum plan_private private, const char *name, mode_t mode, struct err *err)
{
	int fd;

	if (mkdirat(session->dir_fd, name, 0700) < 0 && errno != EEXIST)
		return err_set(err, errno, "%s/%s: %s", session->dir, name, strerror(errno));
	fd = openat(session->dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, mode) < 0) {
		int errnum = errno;

		if (fd >= 0)
			close(fd);
		return err_set(err, errnum, "%s/%s: %s", session->dir, name, strerror(errnum));
	}
	session->private_fds[private] = fd;
	return 0;
}

/* Under the lock of the runs: a sweep never sees a directory that is made and not yet held. */
static int make_directory(struct session *session, struct err *err)
{
	int r = lock_runs(session, err);

	if (r)
		return r;
	if (mkdirat(session->base_fd, session->directory, 0700) < 0 && !(errno == EEXIST && session->is_connections))
		r = err_set(err, errno, "%s: %s", session->dir, strerror(errno));
	if (r == 0)
		session->dir_fd = openat(session->base_fd, session->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (r == 0 && (session->dir_fd < 0 || flock(session->dir_fd, LOCK_SH | LOCK_NB) < 0))
		r = err_set(err, errno, "%s: %s", session->dir, strerror(errno));
	flock(session->runs_fd, LOCK_UN);
	return r;
}

int session_make(struct session *session, struct err *err)
{
	int r;

	if (!session->directory[0])
		snprintf(session->directory, sizeof(session->directory), "%s", session->id);
	snprintf(session->dir, sizeof(session->dir), "%s/%s", session->base, session->directory);
	r = make_directory(session, err);
	if (r == 0)
		r = make_private(session, PRIVATE_TMP, "tmp", 01777, err);
	if (r == 0)
		r = make_private(session, PRIVATE_VAR_TMP, "var-tmp", 01777, err);
	if (r == 0)
		r = make_private(session, PRIVATE_HOME, "home", 0700, err);
	return r ? r : make_private(session, PRIVATE_WORK, "work", 0700, err);
}

int session_sweep(const struct session *session, bool (*is_kept)(void *data, const char *name), void *data, struct err *err)
{
	int copy = openat(session->base_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return err_set(err, EIO, "%s: %s", session->base, strerror(errno));
	}
	while ((entry = readdir(dir))) {
		int fd;
		bool is_free;

		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "runs") == 0 || is_kept(data, entry->d_name))
			continue;
		r = lock_runs(session, err);
		if (r)
			break;
		fd = openat(session->base_fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		is_free = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0;
		flock(session->runs_fd, LOCK_UN);
		if (is_free)
			removal_tree(session->base_fd, entry->d_name, err);
		if (fd >= 0)
			close(fd);
	}
	closedir(dir);
	return 0;
}

static bool is_below(uint64_t free, uint64_t total, uint64_t unit, const struct profile_size *floor)
{
	if (total == 0)
		return false;
	if (floor->amount.is_percent)
		return free < total / 100 * floor->amount.value;
	return unit > 0 && free < floor->amount.value / unit;
}

bool session_is_below_floor(const struct session *session, const struct profile_size *floor, char *why, size_t size)
{
	struct statvfs fs;

	if (!floor->is_set || fstatvfs(session->base_fd, &fs) < 0)
		return false;
	if (is_below(fs.f_bavail, fs.f_blocks, fs.f_frsize, floor)) {
		snprintf(why, size, "%s: %llu of %llu MiB are free", session->base, (unsigned long long)(fs.f_bavail * fs.f_frsize >> 20),
			(unsigned long long)(fs.f_blocks * fs.f_frsize >> 20));
		return true;
	}
	if (is_below(fs.f_favail, fs.f_files, 0, floor)) {
		snprintf(why, size, "%s: %llu of %llu inodes are free", session->base, (unsigned long long)fs.f_favail,
			(unsigned long long)fs.f_files);
		return true;
	}
	return false;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int session_close(struct session *session, struct err *err)
{
	int r = 0;

	for (int i = 0; i < PRIVATE_COUNT; i++)
		close_fd(&session->private_fds[i]);
	if (session->dir_fd >= 0 && !session->is_connections)
		r = removal_tree(session->base_fd, session->directory, err);
	close_fd(&session->dir_fd);
	/* The place goes last: a run that counts as ended has left nothing. */
	if (session->run_fd >= 0)
		unlinkat(session->runs_fd, session->run_file, 0);
	close_fd(&session->run_fd);
	close_fd(&session->runs_fd);
	close_fd(&session->base_fd);
	return r;
}

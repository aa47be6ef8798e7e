/* SPDX-License-Identifier: ISC */
/* Owns private directories; decides nothing. Runs with the account's rights, never as root. */
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
#include <unistd.h>

#include "fd.h"
#include "place.h"
#include "removal.h"
#include "source.h"
#include "text.h"

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

void session_sweep_one(const struct session *session, const char *name)
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
	int r = place_lock(session, err);

	if (r)
		return r;
	if (mkdirat(session->base_fd, session->directory, 0700) < 0 && !(errno == EEXIST && session->is_connections))
		r = err_set(err, errno, "%s: %s", session->dir, strerror(errno));
	if (r == 0)
		session->dir_fd = openat(session->base_fd, session->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (r == 0 && (session->dir_fd < 0 || flock(session->dir_fd, LOCK_SH | LOCK_NB) < 0))
		r = err_set(err, errno, "%s: %s", session->dir, strerror(errno));
	place_unlock(session);
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
		r = place_lock(session, err);
		if (r)
			break;
		fd = openat(session->base_fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		is_free = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0;
		place_unlock(session);
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
		return free < total / 100 * floor->amount.value + total % 100 * floor->amount.value / 100;
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

int session_close(struct session *session, struct err *err)
{
	int r = 0;

	for (int i = 0; i < PRIVATE_COUNT; i++)
		fd_close(&session->private_fds[i]);
	if (session->dir_fd >= 0 && !session->is_connections)
		r = removal_tree(session->base_fd, session->directory, err);
	fd_close(&session->dir_fd);
	/* The place goes last: a run that counts as ended has left nothing. */
	place_leave(session);
	fd_close(&session->runs_fd);
	fd_close(&session->base_fd);
	return r;
}

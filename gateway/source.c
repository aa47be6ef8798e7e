/* SPDX-License-Identifier: ISC */
/* Owns how paths are opened; never decides which looseness matters. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.h"

#define LINKS_MAX 40

struct walk {
	int fd;               /* the directory reached, O_PATH */
	char done[PATH_MAX];  /* its path, "" for the root */
	char rest[PATH_MAX];  /* what is still to walk */
	struct stat last;
	unsigned links;
	uid_t owner;
};

void source_release(struct source *source)
{
	free(source->path);
	if (source->fd >= 0)
		close(source->fd);
	*source = (struct source)SOURCE_INIT;
}

static bool is_loose(const struct stat *st, uid_t owner)
{
	if (S_ISLNK(st->st_mode))
		return st->st_uid != owner;
	return st->st_uid != owner || (st->st_mode & (S_IWGRP | S_IWOTH));
}

static enum source_kind kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return SOURCE_DIR;
	case S_IFREG:
		return SOURCE_FILE;
	case S_IFCHR:
	case S_IFBLK:
		return SOURCE_DEVICE;
	case S_IFSOCK:
		return SOURCE_SOCKET;
	default:
		return SOURCE_OTHER;
	}
}

/* Takes the first component of walk->rest. */
static bool next_component(struct walk *walk, char *name, size_t size)
{
	char *rest = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(rest, "/");

	if (len == 0 || len >= size)
		return false;
	memcpy(name, rest, len);
	name[len] = '\0';
	memmove(walk->rest, rest + len, strlen(rest + len) + 1);
	return true;
}

static int start_at_root(struct walk *walk, int root_fd, struct err *err)
{
	int fd = openat(root_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &walk->last) < 0) {
		int errnum = errno;

		if (fd >= 0)
			close(fd);
		return err_set(err, errnum, "the root directory cannot be opened: %s", strerror(errnum));
	}
	if (walk->fd >= 0)
		close(walk->fd);
	walk->fd = fd;
	walk->done[0] = '\0';
	return 0;
}

/* Where links are rare and walks are deep, the buffers for one stay out of the frame for the other. */
#define OUT_OF_FRAME __attribute__((noinline))

/* The link's target goes before what is left to walk; an absolute one starts again at the root. */
OUT_OF_FRAME static int follow(struct walk *walk, int root_fd, int link_fd, struct err *err)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t len = readlinkat(link_fd, "", target, sizeof(target) - 1);
	int written;

	if (len < 0)
		return err_set(err, errno, "%s/…: link cannot be read: %s", walk->done, strerror(errno));
	target[len] = '\0';
	if (++walk->links > LINKS_MAX)
		return err_set(err, ELOOP, "%s: too many links", walk->done);
	written = snprintf(rest, sizeof(rest), "%s/%s", target, walk->rest);
	if (written < 0 || (size_t)written >= sizeof(rest))
		return err_set(err, ENAMETOOLONG, "%s: link's target is too long", walk->done);
	memcpy(walk->rest, rest, (size_t)written + 1);
	return target[0] == '/' ? start_at_root(walk, root_fd, err) : 0;
}

OUT_OF_FRAME static int step_up(struct walk *walk, int root_fd, struct err *err)
{
	char again[PATH_MAX * 2];
	char *slash = strrchr(walk->done, '/');
	int written;

	if (slash)
		*slash = '\0';
	written = snprintf(again, sizeof(again), "%s/%s", walk->done, walk->rest);
	if (written < 0 || written >= PATH_MAX)
		return err_set(err, ENAMETOOLONG, "path is too long");
	memcpy(walk->rest, again, (size_t)written + 1);
	return start_at_root(walk, root_fd, err);
}

static void note_loose(struct source *source, const struct walk *walk, const char *name, const struct stat *st)
{
	source->is_last_loose = false;
	if (!is_loose(st, walk->owner))
		return;
	source->is_last_loose = true;
	if (!source->loose[0])
		snprintf(source->loose, sizeof(source->loose), "%s/%s", walk->done, name);
}

static int descend(struct walk *walk, int fd, const char *name, struct err *err)
{
	size_t len = strlen(walk->done);

	if (len + strlen(name) + 2 > sizeof(walk->done)) {
		close(fd);
		return err_set(err, ENAMETOOLONG, "path is too long");
	}
	walk->done[len] = '/';
	strcpy(walk->done + len + 1, name);
	close(walk->fd);
	walk->fd = fd;
	return 0;
}

/* One component. 1: go on, 0: absent, negative: refused. */
static int step(struct walk *walk, struct source *source, int root_fd, const char *name, struct err *err)
{
	struct stat st;
	int fd, r;

	if (strcmp(name, ".") == 0)
		return 1;
	if (strcmp(name, "..") == 0) {
		r = step_up(walk, root_fd, err);
		return r ? r : 1;
	}
	fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0) {
		r = err_set(err, errno, "%s/%s: %s", walk->done, name, strerror(errno));
		if (fd >= 0)
			close(fd);
		return r;
	}
	if (S_ISLNK(st.st_mode)) {
		if (source->loose[0] || st.st_uid != walk->owner)
			r = err_set(err, ELOOP, "%s/%s: is a link that others can replace", walk->done, name);
		else
			r = follow(walk, root_fd, fd, err);
		close(fd);
		return r ? r : 1;
	}
	note_loose(source, walk, name, &st);
	walk->last = st;
	r = descend(walk, fd, name, err);
	return r ? r : 1;
}

static int walk_all(struct walk *walk, struct source *source, int root_fd, struct err *err)
{
	char name[NAME_MAX + 1];
	int r = start_at_root(walk, root_fd, err);

	if (r)
		return r;
	note_loose(source, walk, "", &walk->last);
	while (next_component(walk, name, sizeof(name))) {
		r = step(walk, source, root_fd, name, err);
		if (r <= 0)
			return r;
	}
	if (walk->rest[strspn(walk->rest, "/")])
		return err_set(err, ENAMETOOLONG, "%s: a component is too long", walk->done);
	return 1;
}

static int finish(struct source *source, struct walk *walk, const char *path, bool is_there, struct err *err)
{
	if (is_there) {
		source->fd = walk->fd;
		walk->fd = -1;
		source->kind = kind_of(walk->last.st_mode);
		source->uid = walk->last.st_uid;
		source->gid = walk->last.st_gid;
		source->mode = walk->last.st_mode;
		source->dev = walk->last.st_dev;
	}
	source->path = strdup(!is_there ? path : walk->done[0] ? walk->done : "/");
	return source->path ? 0 : err_set(err, ENOMEM, "out of memory");
}

int source_open(struct source *source, int root_fd, const char *path, uid_t owner, struct err *err)
{
	struct walk *walk;
	int r;

	*source = (struct source)SOURCE_INIT;
	if (strlen(path) >= sizeof(walk->rest))
		return err_set(err, ENAMETOOLONG, "path is too long");
	/* Not on the stack, where all of it would be set to zero, for each of the many paths of a command. */
	walk = malloc(sizeof(*walk));
	if (!walk)
		return err_set(err, ENOMEM, "out of memory");
	walk->fd = -1;
	walk->owner = owner;
	walk->links = 0;
	strcpy(walk->rest, path);
	r = walk_all(walk, source, root_fd, err);
	if (r >= 0)
		r = finish(source, walk, path, r > 0, err);
	fd_close(&walk->fd);
	free(walk);
	if (r)
		source_release(source);
	return r;
}

/* What trusted files and tools have in common. */
static int open_strict(struct source *source, int root_fd, const char *path, uid_t owner, struct err *err)
{
	int r = source_open(source, root_fd, path, owner, err);

	if (r)
		return r;
	if (source->kind == SOURCE_ABSENT)
		return err_set(err, ENOENT, "%s: does not exist", path);
	if (source->loose[0])
		return err_set(err, EPERM, "%s: is not root's, or others can write it", source->loose);
	if (source->kind != SOURCE_FILE)
		return err_set(err, EINVAL, "%s: is not a regular file", path);
	return 0;
}

int source_open_trusted(int root_fd, const char *path, uid_t owner, int *fd, struct err *err)
{
	_cleanup_source_ struct source source = SOURCE_INIT;
	char proc[64];
	int r = open_strict(&source, root_fd, path, owner, err);

	if (r)
		return r;
	if (strcmp(source.path, path) != 0)
		return err_set(err, ELOOP, "%s: is reached through a link, to %s", path, source.path);
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", source.fd);
	*fd = open(proc, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return *fd < 0 ? err_set(err, errno, "%s: %s", path, strerror(errno)) : 0;
}

int source_check_tool(int root_fd, const char *path, uid_t owner, struct err *err)
{
	_cleanup_source_ struct source source = SOURCE_INIT;
	int r = open_strict(&source, root_fd, path, owner, err);

	if (r)
		return r;
	if (source.mode & (S_ISUID | S_ISGID))
		return err_set(err, EPERM, "%s: is setuid or setgid", path);
	if (!(source.mode & S_IXOTH))
		return err_set(err, EACCES, "%s: is not executable for all", path);
	return 0;
}

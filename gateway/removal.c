/* SPDX-License-Identifier: ISC */
/*
 * Owns the removal of what untrusted code left behind. Each directory is entered by descriptor and
 * left by "..", whose identity is compared with the one that was entered from, so that depth costs
 * sixteen bytes a level and no descriptor (CVE-2018-6954's class: never a path, never a link).
 */
#include "removal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct level {
	dev_t dev;
	ino_t ino;
};

struct removal {
	int fd;               /* the directory being emptied */
	struct level *levels; /* the directories above it, up to the one that holds the tree */
	size_t depth;
	size_t room;
	struct level *stuck;  /* directories in which something had to stay: not entered again */
	size_t stuck_len;
	dev_t dev;
	int first_error;
	bool is_hopeless;     /* no memory to know what is stuck: nothing is entered any more */
};

static int identify(int fd, struct level *level)
{
	struct stat st = { 0 };

	*level = (struct level){ 0, 0 };
	if (fstat(fd, &st) < 0)
		return -errno;
	*level = (struct level){ st.st_dev, st.st_ino };
	return 0;
}

/* A directory of mode 000 is its owner's to open again. */
static int open_directory(int parent_fd, const char *name)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path_fd;
	char proc[64];

	if (fd >= 0 || errno != EACCES)
		return fd;
	path_fd = openat(parent_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (path_fd < 0)
		return -1;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", path_fd);
	if (chmod(proc, 0700) == 0)
		fd = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(path_fd);
	return fd;
}

static void note(struct removal *removal, int errnum)
{
	if (!removal->first_error)
		removal->first_error = errnum;
}

static bool is_stuck(const struct removal *removal, const struct level *level)
{
	for (size_t i = 0; i < removal->stuck_len; i++)
		if (removal->stuck[i].dev == level->dev && removal->stuck[i].ino == level->ino)
			return true;
	return false;
}

static void add_stuck(struct removal *removal)
{
	struct level *stuck = reallocarray(removal->stuck, removal->stuck_len + 1, sizeof(*stuck));

	if (!stuck || identify(removal->fd, &stuck[removal->stuck_len])) {
		note(removal, ENOMEM);
		removal->is_hopeless = true;
	}
	if (stuck) {
		removal->stuck = stuck;
		removal->stuck_len++;
	}
}

/* rmdir(2) of a mount point, also of one from the same file system, says so. */
static bool is_mount_point(struct removal *removal)
{
	if (errno != EBUSY)
		return false;
	note(removal, EBUSY);
	return true;
}

/* Goes into the directory where it is of the same file system; false where it stays. */
static bool enter(struct removal *removal, const char *name)
{
	struct level here, there;
	int fd = open_directory(removal->fd, name);

	if (fd < 0 || identify(fd, &there) || identify(removal->fd, &here) || there.dev != removal->dev) {
		note(removal, fd < 0 ? errno : EXDEV);
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (removal->is_hopeless || is_stuck(removal, &there)) {
		close(fd);
		return false;
	}
	if (removal->depth == removal->room) {
		size_t room = removal->room ? removal->room * 2 : 64;
		struct level *levels = reallocarray(removal->levels, room, sizeof(*levels));

		if (!levels) {
			note(removal, ENOMEM);
			close(fd);
			return false;
		}
		removal->levels = levels;
		removal->room = room;
	}
	fchmod(fd, 0700);
	removal->levels[removal->depth++] = here;
	close(removal->fd);
	removal->fd = fd;
	return true;
}

static bool leave(struct removal *removal)
{
	struct level up;
	int fd = openat(removal->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct level *expected = &removal->levels[--removal->depth];

	if (fd < 0 || identify(fd, &up) || up.dev != expected->dev || up.ino != expected->ino) {
		note(removal, fd < 0 ? errno : ESTALE);
		if (fd >= 0)
			close(fd);
		return false;
	}
	close(removal->fd);
	removal->fd = fd;
	return true;
}

/* Empties the directory as far as it goes; true where a directory was entered and the work starts anew there. */
static bool empty(struct removal *removal)
{
	int copy = openat(removal->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	bool has_entered = false, has_left = false;

	if (!dir) {
		note(removal, errno);
		if (copy >= 0)
			close(copy);
		return false;
	}
	while (!has_entered && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(removal->fd, entry->d_name, 0) == 0 || errno == ENOENT)
			continue;
		if (errno != EISDIR && errno != EPERM) {
			note(removal, errno);
			has_left = true;
			continue;
		}
		if (unlinkat(removal->fd, entry->d_name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			continue;
		if (!is_mount_point(removal))
			has_entered = enter(removal, entry->d_name);
		has_left |= !has_entered;
	}
	closedir(dir);
	if (!has_entered && has_left)
		add_stuck(removal);
	return has_entered;
}

int removal_tree(int parent_fd, const char *name, struct err *err)
{
	struct removal removal = { .fd = openat(parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	struct level root;

	if (removal.fd < 0 || identify(removal.fd, &root))
		return err_set(err, errno, "%s: its directory cannot be opened: %s", name, strerror(errno));
	removal.dev = root.dev;
	if (unlinkat(parent_fd, name, 0) == 0 || errno == ENOENT ||
		unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 || is_mount_point(&removal) || !enter(&removal, name)) {
		close(removal.fd);
		free(removal.levels);
		return removal.first_error ? err_set(err, removal.first_error, "%s: %s", name, strerror(removal.first_error)) : 0;
	}
	for (;;) {
		if (empty(&removal))
			continue;
		if (!leave(&removal) || removal.depth == 0)
			break;
	}
	close(removal.fd);
	free(removal.levels);
	free(removal.stuck);
	if (unlinkat(parent_fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		note(&removal, errno);
	return removal.first_error ? err_set(err, removal.first_error, "%s: %s", name, strerror(removal.first_error)) : 0;
}

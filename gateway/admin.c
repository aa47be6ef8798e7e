/* SPDX-License-Identifier: ISC */
/* Owns making and taking back changes; decides none. */
#include "admin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX_HERE 24
#define TEXT_MAX (1u << 22)

void admin_release(struct admin *admin)
{
	for (size_t i = 0; i < admin->len; i++) {
		free(admin->changes[i].path);
		free(admin->changes[i].before);
	}
	admin->len = 0;
}

void admin_say(const struct admin *admin, const char *format, ...)
{
	va_list args;

	printf("%s", admin->is_dry ? "would: " : "");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

/* st: the file as it is, or NULL. */
static int note(struct admin *admin, enum admin_undo undo, const char *path, const char *before, const struct stat *st)
{
	struct admin_change *change = &admin->changes[admin->len];

	if (admin->len == ADMIN_CHANGES_MAX)
		return -E2BIG;
	*change = (struct admin_change){ .undo = undo, .path = path ? strdup(path) : NULL, .before = before ? strdup(before) : NULL };
	if (st) {
		change->mode = st->st_mode & 07777;
		change->uid = st->st_uid;
		change->gid = st->st_gid;
	}
	if ((path && !change->path) || (before && !change->before))
		return -ENOMEM;
	admin->len++;
	return 0;
}

static int spawn(char *const *argv)
{
	char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *envp[] = { path, NULL };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execve(argv[0], argv, envp);
		_exit(127);
	}
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int admin_run(struct admin *admin, const char *undo, struct err *err, const char *program, ...)
{
	char *argv[WORDS_MAX_HERE + 2], shown[1024];
	size_t len = 0, used;
	va_list args;
	int status;

	argv[len++] = (char *)(uintptr_t)program;
	va_start(args, program);
	while (len <= WORDS_MAX_HERE && (argv[len] = va_arg(args, char *)))
		len++;
	va_end(args);
	argv[len] = NULL;
	used = (size_t)snprintf(shown, sizeof(shown), "%s", program);
	for (size_t i = 1; i < len && used < sizeof(shown); i++)
		used += (size_t)snprintf(shown + used, sizeof(shown) - used, " %s", argv[i]);
	admin_say(admin, "%s", shown);
	if (admin->is_dry)
		return 0;
	status = spawn(argv);
	if (status)
		return err_set(err, EIO, "%.900s: ended with status %d", shown, status);
	return undo ? note(admin, UNDO_RUN, NULL, undo, NULL) : 0;
}

static int make_one(struct admin *admin, const char *path, mode_t mode, uid_t uid, gid_t gid, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ? 0 : err_set(err, ENOTDIR, "%s: is there and is no directory", path);
	admin_say(admin, "mkdir -m %04o %s%s", mode, path, uid == (uid_t)-1 ? "" : ", the account's");
	if (admin->is_dry)
		return 0;
	if (mkdir(path, mode) < 0 || note(admin, UNDO_REMOVE_DIRECTORY, path, NULL, NULL))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (chmod(path, mode) < 0 || (uid != (uid_t)-1 && lchown(path, uid, gid) < 0))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	return 0;
}

int admin_directory(struct admin *admin, const char *path, mode_t mode, uid_t uid, gid_t gid, struct err *err)
{
	char parent[PATH_MAX];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int r;

		snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path), path);
		r = make_one(admin, parent, 0755, (uid_t)-1, 0, err);
		if (r)
			return r;
	}
	return make_one(admin, path, mode, uid, gid, err);
}

char *admin_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? strdup("") : NULL;
	text = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < TEXT_MAX ? calloc(1, (size_t)st.st_size + 1) : NULL;
	/* Text with a NUL would be written back without what follows it. */
	if (text && (read(fd, text, (size_t)st.st_size) != st.st_size || memchr(text, '\0', (size_t)st.st_size))) {
		free(text);
		text = NULL;
	}
	close(fd);
	return text;
}

static int put_file(const char *path, const char *text, mode_t mode, uid_t uid, gid_t gid)
{
	char part[PATH_MAX];
	int fd, r = 0;

	snprintf(part, sizeof(part), "%s.stockade-new", path);
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	errno = 0;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text) || fchown(fd, uid, gid) < 0 || fchmod(fd, mode) < 0 || fsync(fd) < 0 ||
		rename(part, path) < 0)
		r = errno ? -errno : -EIO;
	close(fd);
	if (r)
		unlink(part);
	return r;
}

/* did: what is said, or NULL. */
static int change_file(struct admin *admin, const char *path, const char *text, mode_t mode, const char *did, struct err *err)
{
	char *before = admin_read(path);
	/* A file that is there keeps its owner: /etc/at.deny is of the group that at(1) reads it with. */
	struct stat st = { .st_mode = mode, .st_uid = geteuid(), .st_gid = getegid() };
	bool is_there = lstat(path, &st) == 0;
	int r;

	if (!before)
		return err_set(err, EIO, "%s: cannot be read", path);
	if (is_there && strcmp(before, text) == 0) {
		free(before);
		return 0;
	}
	admin_say(admin, "%s %s", did ? did : is_there ? "change" : "write", path);
	r = admin->is_dry ? 0 : note(admin, is_there ? UNDO_RESTORE_FILE : UNDO_REMOVE_FILE, path, before, &st);
	free(before);
	if (r == 0 && !admin->is_dry)
		r = put_file(path, text, st.st_mode & 07777, st.st_uid, st.st_gid);
	return r ? err_set(err, -r, "%s: %s", path, strerror(-r)) : 0;
}

int admin_file(struct admin *admin, const char *path, const char *text, mode_t mode, struct err *err)
{
	return change_file(admin, path, text, mode, NULL, err);
}

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (strncmp(text, line, len) == 0 && (text[len] == '\n' || !text[len]))
			return true;
	return false;
}

int admin_add_line(struct admin *admin, const char *path, const char *line, mode_t mode, struct err *err)
{
	char *before = admin_read(path), *after = NULL, did[512];
	int r = 0;

	if (!before)
		return err_set(err, EIO, "%s: cannot be read", path);
	if (!has_line(before, line)) {
		size_t len = strlen(before);

		if (asprintf(&after, "%s%s%s\n", before, len && before[len - 1] != '\n' ? "\n" : "", line) < 0)
			after = NULL;
		snprintf(did, sizeof(did), "add \"%s\" to", line);
		r = after ? change_file(admin, path, after, mode, did, err) : err_set(err, ENOMEM, "out of memory");
	}
	free(before);
	free(after);
	return r;
}

int admin_remove_lines(struct admin *admin, const char *path, const char *line, struct err *err)
{
	char *before = admin_read(path), *after = before ? calloc(1, strlen(before) + 1) : NULL, did[512];
	size_t len = strlen(line), used = 0;
	int r = 0;

	if (!after) {
		free(before);
		return err_set(err, EIO, "%s: cannot be read", path);
	}
	for (const char *at = before; *at;) {
		size_t whole = strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');

		if (strncmp(at, line, len) != 0 || (at[len] != '\n' && at[len])) {
			memcpy(after + used, at, whole);
			used += whole;
		}
		at += whole;
	}
	snprintf(did, sizeof(did), "take \"%s\" out of", line);
	if (strcmp(before, after) != 0)
		r = change_file(admin, path, after, 0644, did, err);
	free(before);
	free(after);
	return r;
}

int admin_remove_file(struct admin *admin, const char *path, struct err *err)
{
	char *before = admin_read(path);
	struct stat st;
	int r = 0;

	if (!before)
		return err_set(err, EIO, "%s: cannot be read", path);
	if (lstat(path, &st) == 0) {
		admin_say(admin, "remove %s", path);
		r = admin->is_dry ? 0 : note(admin, UNDO_RESTORE_FILE, path, before, &st);
		if (r == 0 && !admin->is_dry && unlink(path) < 0)
			r = -errno;
	}
	free(before);
	return r ? err_set(err, -r, "%s: %s", path, strerror(-r)) : 0;
}

static int undo_one(const struct admin_change *change)
{
	char shell[] = "/bin/sh", option[] = "-c", *argv[] = { shell, option, change->before, NULL };

	switch (change->undo) {
	case UNDO_NOTHING:
		return 0;
	case UNDO_REMOVE_FILE:
		printf("undo: remove %s\n", change->path);
		return unlink(change->path) < 0 && errno != ENOENT ? -errno : 0;
	case UNDO_RESTORE_FILE:
		printf("undo: restore %s\n", change->path);
		return put_file(change->path, change->before, change->mode, change->uid, change->gid);
	case UNDO_REMOVE_DIRECTORY:
		printf("undo: remove %s\n", change->path);
		return rmdir(change->path) < 0 && errno != ENOENT ? -errno : 0;
	case UNDO_RUN:
		printf("undo: %s\n", change->before);
		fflush(stdout);
		return spawn(argv) ? -EIO : 0;
	}
	return 0;
}

unsigned admin_undo(struct admin *admin)
{
	unsigned failed = 0;

	while (admin->len) {
		struct admin_change *change = &admin->changes[--admin->len];
		int r = undo_one(change);

		fflush(stdout);
		if (r) {
			fprintf(stderr, "stockade: could not be taken back: %s: %s\n", change->path ? change->path : change->before, strerror(-r));
			failed++;
		}
		free(change->path);
		free(change->before);
	}
	return failed;
}

/* SPDX-License-Identifier: ISC */
/* Owns the records of connections; decides nothing on who may do what. */
#include "connection.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process.h"
#include "source.h"
#include "text.h"

#define ANCESTORS_MAX 16

static void record_path(char *path, size_t size, uid_t uid, const char *id)
{
	snprintf(path, size, CONNECTION_DIR "/%u/%s", uid, id);
}

static int read_text(const char *path, char *text, size_t size, struct err *err)
{
	int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1, r;
	ssize_t len;

	if (root_fd < 0)
		return err_set(err, errno, "/: %s", strerror(errno));
	r = source_open_trusted(root_fd, path, 0, &fd, err);
	close(root_fd);
	if (r)
		return r;
	len = read(fd, text, size - 1);
	close(fd);
	if (len <= 0)
		return err_set(err, EIO, "%s: cannot be read", path);
	text[len] = '\0';
	return 0;
}

/* The rest of the line after "key=", or NULL. */
static const char *line_of(const char *text, const char *key)
{
	char needle[32];
	const char *at;

	snprintf(needle, sizeof(needle), "%s=", key);
	if (text_has_prefix(text, needle))
		return text + strlen(needle);
	snprintf(needle, sizeof(needle), "\n%s=", key);
	at = strstr(text, needle);
	return at ? at + strlen(needle) : NULL;
}

static bool number_of(const char *text, const char *key, uint64_t max, uint64_t *number)
{
	const char *at = line_of(text, key);
	char digits[32];

	snprintf(digits, sizeof(digits), "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
	return text_number(digits, max, number) == 0;
}

static void clear(struct connection *connection)
{
	memset(connection, 0, offsetof(struct connection, auth) + 1);
}

static int parse(struct connection *connection, const char *text, const char *path, struct err *err)
{
	const char *dir = line_of(text, "dir"), *from = line_of(text, "from"), *auth = line_of(text, "auth");
	uint64_t pid, start, lost, has_size;

	if (!number_of(text, "pid", INT_MAX, &pid) || !number_of(text, "start", UINT64_MAX, &start) ||
		!number_of(text, "lost", UINT_MAX, &lost) || !number_of(text, "size", 1, &has_size) || !dir || !from || !auth ||
		strlen(auth) >= sizeof(connection->auth))
		return err_set(err, EINVAL, "%s: is not a connection's record", path);
	connection->pid = (pid_t)pid;
	connection->start = start;
	connection->lost = (unsigned)lost;
	connection->has_size = has_size;
	snprintf(connection->dir, sizeof(connection->dir), "%.*s", (int)strcspn(dir, "\n"), dir);
	snprintf(connection->from, sizeof(connection->from), "%.*s", (int)strcspn(from, "\n"), from);
	strcpy(connection->auth, auth);
	return 0;
}

int connection_read(struct connection *connection, uid_t uid, const char *id, struct err *err)
{
	const size_t size = sizeof(connection->auth) + sizeof(connection->dir) + 512;
	char path[128], *text;
	int r;

	clear(connection);
	if (!text_is_name(id) || strlen(id) >= sizeof(connection->id))
		return err_set(err, EINVAL, "not a connection's name");
	strcpy(connection->id, id);
	record_path(path, sizeof(path), uid, id);
	/* On the heap, where a page that is not used costs nothing. */
	text = malloc(size);
	if (!text)
		return err_set(err, ENOMEM, "out of memory");
	r = read_text(path, text, size, err);
	if (r == 0)
		r = parse(connection, text, path, err);
	free(text);
	return r;
}

int connection_each(uid_t uid, struct connection *connection, bool (*each)(void *data, const struct connection *connection), void *data)
{
	char path[64];
	const struct dirent *entry;
	bool is_found = false;
	struct err ignored;
	DIR *dir;

	clear(connection);
	snprintf(path, sizeof(path), CONNECTION_DIR "/%u", uid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!is_found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !text_is_name(entry->d_name))
			continue;
		if (connection_read(connection, uid, entry->d_name, &ignored))
			connection->pid = 0;
		is_found = each(data, connection);
	}
	if (!is_found)
		clear(connection);
	closedir(dir);
	return 0;
}

struct ancestors {
	struct process items[ANCESTORS_MAX];
	size_t len;
};

static bool is_ancestors(void *data, const struct connection *connection)
{
	const struct ancestors *ancestors = data;

	for (size_t i = 0; connection->pid && i < ancestors->len; i++)
		if (ancestors->items[i].pid == connection->pid && ancestors->items[i].start == connection->start)
			return true;
	return false;
}

int connection_find(struct connection *connection, uid_t uid, struct err *err)
{
	struct ancestors ancestors = { .len = 0 };
	pid_t pid = getppid();

	while (pid > 1 && ancestors.len < ANCESTORS_MAX && process_read(&ancestors.items[ancestors.len], pid) == 0)
		pid = ancestors.items[ancestors.len++].parent;
	connection_each(uid, connection, is_ancestors, &ancestors);
	return connection->id[0] ? 0 : err_set(err, ENOENT, "no connection's record names an ancestor");
}

int connection_write(const struct connection *connection, uid_t uid, gid_t gid, struct err *err)
{
	char path[128], part[160];
	int fd, len, r = 0;

	if (mkdir(CONNECTION_DIR, 0755) < 0 && errno != EEXIST)
		return err_set(err, errno, CONNECTION_DIR ": %s", strerror(errno));
	snprintf(path, sizeof(path), CONNECTION_DIR "/%u", uid);
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	record_path(path, sizeof(path), uid, connection->id);
	snprintf(part, sizeof(part), CONNECTION_DIR "/%u/.%s", uid, connection->id);
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, errno, "%s: %s", part, strerror(errno));
	len = dprintf(fd, "pid=%d\nstart=%llu\nlost=%u\nsize=%d\ndir=%s\nfrom=%s\nauth=%s", connection->pid, connection->start, connection->lost,
		connection->has_size, connection->dir, connection->from, connection->auth);
	if (len < 0 || fchown(fd, 0, gid) < 0 || fchmod(fd, 0640) < 0 || rename(part, path) < 0)
		r = err_set(err, errno ? errno : EIO, "%s: %s", path, strerror(errno));
	close(fd);
	if (r)
		unlink(part);
	return r;
}

void connection_remove(uid_t uid, const char *id)
{
	char path[128];

	record_path(path, sizeof(path), uid, id);
	unlink(path);
}

int connection_read_auth(const char *path, uid_t uid, char *auth, size_t size, struct err *err)
{
	struct stat st;
	ssize_t len;
	int fd;

	auth[0] = '\0';
	if (!path)
		return 0;
	if (!text_has_prefix(path, "/tmp/sshauth.") || strchr(path + strlen("/tmp/"), '/'))
		return err_set(err, EPERM, "SSH_USER_AUTH is not a path that sshd makes");
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != uid || (st.st_mode & 07777) != 0600 || st.st_nlink != 1) {
		close(fd);
		return err_set(err, EPERM, "%s: is not a file of mode 0600 of the account's with one link", path);
	}
	len = read(fd, auth, size - 1);
	close(fd);
	auth[len > 0 ? len : 0] = '\0';
	return len < 0 ? err_set(err, EIO, "%s: cannot be read", path) : 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * A system of the test's own in a child: mounts nobody else sees, in which /dev, /etc/stockade, /var/lib and /srv are
 * the test's. Checks in the child end it: cmocka's would jump back into the parent's tests.
 */
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <poll.h>

#include "temp.h"

#define NO_SYSTEM 77

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1); \
		} \
	} while (0)

static inline void system_write(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd) || chmod(path, mode))
		_exit(NO_SYSTEM);
}

static inline void system_node(const char *name)
{
	char from[64], to[64];

	snprintf(from, sizeof(from), "/mnt/dev/%s", name);
	snprintf(to, sizeof(to), "/dev/%s", name);
	system_write(to, "", 0666);
	if (mount(from, to, NULL, MS_BIND, NULL))
		_exit(NO_SYSTEM);
}

static inline void system_dev(void)
{
	static const char *const nodes[] = { "null", "zero", "full", "random", "urandom", "tty" };

	if (mount("none", "/mnt", "tmpfs", 0, "mode=0755") || mkdir("/mnt/dev", 0755) || mount("/dev", "/mnt/dev", NULL, MS_BIND | MS_REC, NULL) ||
		mount("none", "/dev", "tmpfs", 0, "mode=0755"))
		_exit(NO_SYSTEM);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		system_node(nodes[i]);
	if (mkdir("/dev/pts", 0755) || mount("/mnt/dev/pts", "/dev/pts", NULL, MS_BIND, NULL) || symlink("pts/ptmx", "/dev/ptmx") || mkdir("/dev/shm", 01777))
		_exit(NO_SYSTEM);
}

static inline void system_map(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(NO_SYSTEM);
	close(fd);
}

/* Mounts of the caller's own, and an empty /dev but for the usual nodes. Also for users who may make a user namespace. */
static inline void system_enter(void)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER))
		_exit(NO_SYSTEM);
	if (uid != 0) {
		snprintf(map, sizeof(map), "%u %u 1", uid, uid);
		system_map("/proc/self/uid_map", map);
		system_map("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "%u %u 1", gid, gid);
		system_map("/proc/self/gid_map", map);
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		_exit(NO_SYSTEM);
	system_dev();
}

/* /dev/log, to be read by the test. */
static inline int system_log(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/dev/log" };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	unlink("/dev/log");
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || chmod("/dev/log", 0666))
		_exit(NO_SYSTEM);
	return fd;
}

/* The next record, without waiting; "" for none. */
static inline const char *system_record(int log_fd)
{
	static char text[4096];
	ssize_t len = recv(log_fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[len > 0 ? len : 0] = '\0';
	return text;
}

static inline void system_copy(const char *from, const char *to)
{
	static char text[1 << 20];
	int in = open(from, O_RDONLY | O_CLOEXEC), out;
	ssize_t len = in < 0 ? -1 : read(in, text, sizeof(text));

	if (len < 0)
		return;
	close(in);
	out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (out < 0 || write(out, text, (size_t)len) != len || fchmod(out, 0644) || close(out))
		_exit(NO_SYSTEM);
}

#define SYSTEM_USER 65534 /* nobody */

/* An /etc with users and nothing of stockade's, a place for private directories, and a workspace of nobody's. Root only. */
static inline void system_host(void)
{
	static const char *const kept[] = { "passwd", "group", "nsswitch.conf", "ld.so.cache" };

	if (geteuid() != 0 || mkdir("/mnt/etc", 0755))
		_exit(NO_SYSTEM);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		char from[64], to[64];

		snprintf(from, sizeof(from), "/etc/%s", kept[i]);
		snprintf(to, sizeof(to), "/mnt/etc/%s", kept[i]);
		system_copy(from, to);
	}
	if (mount("/mnt/etc", "/etc", NULL, MS_BIND, NULL) || mkdir("/etc/stockade", 0755) || mkdir("/etc/stockade/profiles", 0755) ||
		mount("none", "/var/lib", "tmpfs", 0, "mode=0755") || mkdir("/var/lib/stockade", 0755) || mkdir("/var/lib/stockade/tmp", 0755) ||
		mkdir("/var/lib/stockade/tmp/nobody", 0700) || chown("/var/lib/stockade/tmp/nobody", SYSTEM_USER, SYSTEM_USER) ||
		mount("none", "/srv", "tmpfs", 0, "mode=0755") || mkdir("/srv/build", 0755) || chown("/srv/build", SYSTEM_USER, SYSTEM_USER))
		_exit(NO_SYSTEM);
}

static inline void system_profile(const char *text)
{
	system_write("/etc/stockade/profiles/nobody.ini", text, 0644);
}

typedef void system_test(void);

/* Runs the function in a child with a system of its own. */
static inline void system_run(system_test *test)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		alarm(60);
		system_enter();
		test();
		_exit(0);
	}
	status = temp_wait(pid);
	if (status == NO_SYSTEM)
		temp_skip("no mounts of its own can be made by this user");
	assert_int_equal(status, 0);
}

/* SPDX-License-Identifier: ISC */
/* Owns the words on a host's facets and their cures; the facets themselves are attempted, not looked up. */
#include "probing.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <json-c/json.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manager.h"
#include "removal.h"
#include "selftest.h"
#include "source.h"
#include "text.h"

struct rows {
	struct probing_row *items;
	size_t len;
};

static struct probing_row *add(struct rows *rows, const char *facet, enum plan_attempt result, const char *how, const char *said)
{
	struct probing_row *row = &rows->items[rows->len < PROBING_ROWS_MAX ? rows->len++ : PROBING_ROWS_MAX - 1];

	*row = (struct probing_row){ .result = result };
	snprintf(row->facet, sizeof(row->facet), "%s", facet);
	snprintf(row->how, sizeof(row->how), "%s", how);
	snprintf(row->said, sizeof(row->said), "%s", said);
	return row;
}

static bool reads(const char *path, const char *expected)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (len > 0)
		text[strcspn(text, "\n")] = '\0';
	return len > 0 && strcmp(text, expected) == 0;
}

/* The settings that are known to forbid namespaces to an account, each with its own cure. */
static const char *mend_namespaces(int errnum)
{
	if (reads("/proc/sys/kernel/unprivileged_userns_clone", "0"))
		return "sysctl -w kernel.unprivileged_userns_clone=1";
	if (reads("/proc/sys/user/max_user_namespaces", "0"))
		return "sysctl -w user.max_user_namespaces=15000";
	if (reads("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"))
		return "AppArmor restricts user namespaces: give /usr/bin/bwrap a profile with \"userns,\" (see /etc/apparmor.d/bwrap-userns-restrict), or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
	if (errnum == ENOSPC || errnum == EUSERS)
		return "a quota of namespaces is used up: see sysctl user.max_user_namespaces and its like";
	return "an outer sandbox, a container or an LSM forbids it: allow user namespaces and mounts there";
}

static const char *mend_facet(const struct attempt *attempt)
{
	switch (attempt->facet) {
	case FACET_PIDNS:
		return "parts of /proc are covered by an outer container, or its mount is forbidden: start the container with an unmasked /proc";
	case FACET_DEV:
		return "the container or an LSM forbids devpts in a user namespace";
	case FACET_CGROUPNS:
		return "the kernel or the container forbids cgroup namespaces";
	case FACET_USERNS:
		return "/proc/sys is read-only here: make it writable (systemd-nspawn: SYSTEMD_NSPAWN_API_VFS_WRITABLE=yes)";
	case FACET_LIMITS:
		break;
	}
	return mend_namespaces(attempt->errnum);
}

static const char *facet_name(enum facet facet, char *buf, size_t size)
{
	return facet ? facets_text(facet, buf, size) : "namespaces";
}

/* The attempts are the account's, so a child becomes it; a page carries the answers back. */
static int attempt_as(const struct account *account, struct attempt *attempts)
{
	size_t size = sizeof(*attempts) * ATTEMPTS_MAX;
	struct attempt *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	if (shared == MAP_FAILED)
		return -ENOMEM;
	pid = fork();
	if (pid == 0) {
		if (setgroups(account->groups.len, account->gids) < 0 || setgid(account->gid) < 0 || setuid(account->uid) < 0)
			_exit(1);
		attempt_all(shared);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	memcpy(attempts, shared, size);
	munmap(shared, size);
	return status == 0 ? 0 : -EIO;
}

static void add_attempts(struct rows *rows, const struct account *account)
{
	struct attempt attempts[ATTEMPTS_MAX];
	char name[64];

	if (attempt_as(account, attempts)) {
		add(rows, "namespaces", ATTEMPT_ODD, "a process of the account's", "it could not be started");
		return;
	}
	for (size_t i = 0; i < ATTEMPTS_MAX; i++) {
		enum plan_attempt result = plan_judge_attempt(attempts[i].errnum);
		struct probing_row *row = add(rows, facet_name(attempts[i].facet, name, sizeof(name)), result, attempts[i].how,
			attempts[i].errnum ? strerror(attempts[i].errnum) : "works");

		if (result != ATTEMPT_WORKS)
			snprintf(row->mend, sizeof(row->mend), "%s", mend_facet(&attempts[i]));
	}
}

static void add_tools(struct rows *rows, const struct profile *profile)
{
	const char *const tools[] = { profile->tool_bwrap, profile->tool_systemd_run, profile->tool_prlimit, profile->tool_env,
		profile->tool_setsid };
	int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		struct err err = { "" };
		const char *base = strrchr(tools[i], '/') + 1;
		int r = source_check_tool(root_fd, tools[i], 0, &err);
		struct probing_row *row = add(rows, base, r ? ATTEMPT_LOST : ATTEMPT_WORKS, "root's, not writable by others, not setuid", r ? err.text : "is");

		if (r == -ENOENT)
			snprintf(row->mend, sizeof(row->mend), "install the Debian package that has %s", tools[i]);
		else if (r)
			snprintf(row->mend, sizeof(row->mend), "chown root:root %s; chmod 755 %s", tools[i], tools[i]);
	}
	close(root_fd);
}

static void add_cgroup(struct rows *rows)
{
	struct statfs fs;
	bool is_v2 = statfs("/sys/fs/cgroup", &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
	struct probing_row *row = add(rows, "cgroup2", is_v2 ? ATTEMPT_WORKS : ATTEMPT_LOST, "the file system at /sys/fs/cgroup",
		is_v2 ? "is cgroup2" : "is cgroup v1 or hybrid");

	if (!is_v2)
		snprintf(row->mend, sizeof(row->mend), "boot with systemd.unified_cgroup_hierarchy=1");
	if (is_v2 && access("/sys/fs/cgroup/memory.stat", F_OK) < 0 && access("/sys/fs/cgroup/memory.pressure", F_OK) < 0)
		add(rows, "cgroup-controllers", ATTEMPT_ODD, "/sys/fs/cgroup", "no memory controller is seen");
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), r = 0;

	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0644) < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		r = -EIO;
	close(fd);
	return r;
}

/* DIR/etc/profiles/USER.ini, DIR/work, DIR/tmp/USER: what a fresh account would have. */
static int make_place(const char *dir, const struct account *account, const char *more)
{
	char path[512], text[1024];

	if (chmod(dir, 0755) < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/etc", dir);
	if (mkdir(path, 0755) < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/etc/profiles", dir);
	if (mkdir(path, 0755) < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/tmp", dir);
	if (mkdir(path, 0755) < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/tmp/%s", dir, account->name);
	if (mkdir(path, 0700) < 0 || chown(path, account->uid, account->gid) < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/work", dir);
	if (mkdir(path, 0755) < 0 || chown(path, account->uid, account->gid) < 0)
		return -errno;
	snprintf(text, sizeof(text), "[profile]\nmin_grade = partial\n[workspace]\npath = %s/work\n[tmp]\ndir = %s/tmp\nfloor = -\n[cgroup]\nenforce = best-effort\n%s",
		dir, dir, more);
	snprintf(path, sizeof(path), "%s/etc/profiles/%s.ini", dir, account->name);
	return write_text(path, text);
}

static const char *mend_lacks(const char *lacks)
{
	return strstr(lacks, "limits") ? "sshd: UsePAM yes, PAM: pam_systemd; cgroup v2 with memory and pids delegated (systemctl cat user@.service: Delegate=pids memory cpu)" : "";
}

/* A command through the whole chain, in a place made for it and removed again. */
static int run_for_real(struct selftest *selftest, const struct account *account, const char *more, struct err *err)
{
	char dir[] = "/opt/stockade-probe.XXXXXX", etc[64];
	struct err ignored;
	int parent_fd, r;

	*selftest = (struct selftest){ .status = -1 };
	if (!mkdtemp(dir))
		return err_set(err, errno, "no directory below /opt: %s", strerror(errno));
	r = make_place(dir, account, more);
	if (r)
		err_set(err, -r, "%s: %s", dir, strerror(-r));
	snprintf(etc, sizeof(etc), "%s/etc", dir);
	if (r == 0)
		r = selftest_run(selftest, account, etc, NULL, err);
	parent_fd = open("/opt", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	removal_tree(parent_fd, strrchr(dir, '/') + 1, &ignored);
	close(parent_fd);
	return r;
}

static void add_real_run(struct rows *rows, const struct account *account, const struct selftest *seen)
{
	struct selftest selftest;
	struct err err = { "" };
	struct probing_row *row;
	char said[256];

	if (seen) {
		selftest = *seen;
	} else if (run_for_real(&selftest, account, "", &err)) {
		add(rows, "real-run", ATTEMPT_ODD, "a command through the whole chain", err.text);
		return;
	}
	snprintf(said, sizeof(said), "grade=%s lacks=%s status=%d %.150s", selftest.grade, selftest.lacks, selftest.status, selftest.error);
	row = add(rows, "real-run", strcmp(selftest.grade, "full") == 0 ? ATTEMPT_WORKS : strcmp(selftest.grade, "partial") == 0 ? ATTEMPT_LOST : ATTEMPT_ODD,
		"a command through the whole chain", said);
	snprintf(row->mend, sizeof(row->mend), "%s", mend_lacks(selftest.lacks));
	/* Of a run of the account's own its lines are told by who made it. */
	for (size_t i = 0; !seen && i < selftest.len; i++)
		if (!selftest.lines[i].holds)
			add(rows, selftest.lines[i].name, ATTEMPT_LOST, "tested from inside", selftest.lines[i].said);
}

static bool explain_tool(const char *tool, const char *package, char *why, size_t size, char *mend, size_t mend_size)
{
	int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), r;
	struct err err = { "" };

	r = source_check_tool(root_fd, tool, 0, &err);
	close(root_fd);
	if (!r)
		return false;
	snprintf(why, size, "%s", err.text);
	if (r == -ENOENT)
		snprintf(mend, mend_size, "apt install %s", package);
	else
		snprintf(mend, mend_size, "chown root:root %s; chmod 755 %s", tool, tool);
	return true;
}

static bool explain_device(char *why, size_t size, char *mend, size_t mend_size)
{
	static const char device[] = "/dev/net/tun";
	int fd = open(device, O_RDWR | O_CLOEXEC), errnum = errno;
	struct stat st = { .st_mode = 0 };

	if (fd < 0) {
		snprintf(why, size, "%s: %s", device, strerror(errnum));
		snprintf(mend, mend_size, "modprobe tun && echo tun >/etc/modules-load.d/tun.conf   # in a container: let its manager give it %s", device);
		return true;
	}
	fstat(fd, &st);
	close(fd);
	if ((st.st_mode & 0006) == 0006)
		return false;
	snprintf(why, size, "%s: mode %04o, accounts cannot open it", device, st.st_mode & 07777);
	snprintf(mend, mend_size, "chmod 0666 %s", device);
	return true;
}

bool probing_explain_network(const struct profile *profile, const char *said, char *why, size_t size, char *mend, size_t mend_size)
{
	snprintf(why, size, "%s", said);
	if (explain_tool(profile->tool_slirp4netns, "slirp4netns", why, size, mend, mend_size) ||
		explain_tool(profile->tool_nft, "nftables", why, size, mend, mend_size) || explain_device(why, size, mend, mend_size))
		return true;
	if (text_has_prefix(said, profile->tool_nft))
		snprintf(mend, mend_size, "modprobe -a nf_tables nft_reject_inet nft_counter   # in a container: on its host");
	else if (strstr(said, "nrecognized option") || strstr(said, "nknown option"))
		snprintf(mend, mend_size, "%s is too old: it takes 1.2.0 or later, as in Debian 12", profile->tool_slirp4netns);
	else
		return false;
	return true;
}

/* Not of the grade: only profiles that ask for a network need it, and are refused without. */
void probing_network(struct probing_row *row, const struct account *account)
{
	static const char how[] = "a command with a private network through the whole chain";
	struct rows rows = { row, 0 };
	struct selftest selftest;
	struct profile profile;
	struct err err = { "" }, ignored;

	if (run_for_real(&selftest, account, "[network]\nmode = slirp\n", &err) == 0 && selftest.status == 0) {
		add(&rows, "network", ATTEMPT_WORKS, how, "works");
		return;
	}
	add(&rows, "network", ATTEMPT_LOST, how, "");
	if (profile_init(&profile, &ignored) == 0 &&
		!probing_explain_network(&profile, err.text[0] ? err.text : selftest.error, row->said, sizeof(row->said), row->mend, sizeof(row->mend)))
		snprintf(row->mend, sizeof(row->mend), "%s", mend_namespaces(0));
	profile_release(&profile);
}

size_t probing_rows(struct probing_row items[PROBING_ROWS_MAX], const struct account *account, const struct selftest *seen)
{
	struct rows rows = { items, 0 };
	struct profile profile;
	struct err err;

	if (profile_init(&profile, &err) == 0)
		add_tools(&rows, &profile);
	profile_release(&profile);
	add_attempts(&rows, account);
	add_cgroup(&rows);
	add_real_run(&rows, account, seen);
	return rows.len;
}

static const char *result_name(enum plan_attempt result)
{
	switch (result) {
	case ATTEMPT_WORKS:
		return "ok";
	case ATTEMPT_LOST:
		return "missing";
	case ATTEMPT_NOW:
		return "not now";
	case ATTEMPT_ODD:
		return "failed";
	}
	return "?";
}

static void show_json(const struct probing_row *rows, size_t len)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < len; i++) {
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "facet", json_object_new_string(rows[i].facet));
		json_object_object_add(object, "result", json_object_new_string(result_name(rows[i].result)));
		json_object_object_add(object, "how", json_object_new_string(rows[i].how));
		json_object_object_add(object, "said", json_object_new_string(rows[i].said));
		json_object_object_add(object, "mend", json_object_new_string(rows[i].mend));
		json_object_array_add(list, object);
	}
	puts(json_object_to_json_string_ext(list, JSON_C_TO_STRING_PRETTY));
	json_object_put(list);
}

static void show_text(const struct probing_row *rows, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		printf("%-8s %-26s %s: %s\n", result_name(rows[i].result), rows[i].facet, rows[i].how, rows[i].said);
		if (rows[i].mend[0])
			printf("         %-26s mend: %s\n", "", rows[i].mend);
	}
}

/* 0 full, 1 partial, 2 refused: the real run's own grade. */
static int status_of(const struct probing_row *rows, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strcmp(rows[i].facet, "real-run") == 0)
			return rows[i].result == ATTEMPT_WORKS ? 0 : rows[i].result == ATTEMPT_LOST ? 1 : 2;
	return 2;
}

int probing_main(int argc, char *argv[])
{
	_cleanup_account_ struct account account = { 0 };
	struct probing_row rows[PROBING_ROWS_MAX + 1];
	const char *user = "nobody";
	struct err err = { "" };
	bool is_json = false;
	size_t len;
	bool is_held;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0)
			is_json = true;
		else if (argv[i][0] != '-')
			user = argv[i];
		else
			argc = -1;
	}
	if (argc < 0 || geteuid() != 0) {
		fprintf(stderr, argc < 0 ? "usage: stockade probe [--json] [USER]\n" : "stockade: probe has to be run by root\n");
		return 2;
	}
	if (account_by_name(&account, user, &err) || account.uid == 0) {
		fprintf(stderr, "stockade: %s\n", err.text[0] ? err.text : "root is not confined");
		return 2;
	}
	is_held = manager_hold(account.uid);
	len = probing_rows(rows, &account, NULL);
	probing_network(&rows[len++], &account);
	manager_let_go(account.uid, is_held);
	if (is_json)
		show_json(rows, len);
	else
		show_text(rows, len);
	return status_of(rows, len);
}

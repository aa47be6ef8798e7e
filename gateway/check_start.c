/* SPDX-License-Identifier: ISC */
/* Finds settings under which nothing can start: limits, denied system calls, programs that are not there. */
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "selftest.h"
#include "text.h"

#define TRIAL_SECONDS_MAX 30 /* a shell that waits for room to fork in */

/* What a shell does for every second command: a pipe, a program, a redirection, a kilobyte of a file. */
static const char trial[] = "set -e; x=$(echo a | cat); [ \"$x\" = a ]; { echo x; } >/dev/null; printf %1024s x";

/* The limits that can keep it from that, and values that do not, as the profile has them. */
static const struct {
	const char *name, *enough;
} start_limits[] = { { "as", "256M" }, { "cpu", "10s" }, { "data", "64M" }, { "fsize", "64M" }, { "nofile", "256" }, { "nproc", "256" }, { "stack", "1M" } };

/* In the child: as the account, in a user namespace of its own as inside the fence, where its other processes do not count. */
static void try_shell(const struct account *account, int resource, rlim_t value)
{
	static char *const envp[] = { NULL };
	char name[] = "sh", option[] = "-c", text[sizeof(trial)], *argv[] = { name, option, text, NULL };
	const struct rlimit limit = { value, value };
	int null = open("/dev/null", O_RDWR), out = memfd_create("out", 0);

	memcpy(text, trial, sizeof(trial));
	if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setgid(account->gid) < 0 || setuid(account->uid) < 0))
		_exit(0);
	if (unshare(CLONE_NEWUSER) < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(0);
	closefrom(STDERR_FILENO + 1);
	alarm(TRIAL_SECONDS_MAX);
	/* Above the hard limit: the plan says so. */
	if (setrlimit(resource, &limit) < 0)
		_exit(0);
	execve("/bin/sh", argv, envp);
	_exit(127);
}

static bool can_start(const struct account *account, int resource, uint64_t value)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		try_shell(account, resource, value == LIMIT_UNLIMITED ? RLIM_INFINITY : (rlim_t)value);
	return pid < 0 || waitpid(pid, &status, 0) < 0 || status == 0;
}

static void find_limits(struct check *check)
{
	const struct profile *profile = &check->profile;

	for (size_t i = 0; i < sizeof(start_limits) / sizeof(start_limits[0]); i++) {
		int index = limits_find(start_limits[i].name);
		uint64_t value = profile->limits[index];
		const struct profile_origin *origin = &profile->limit_origins[index];
		char where[512], file[1024];

		/* The kernel takes no seconds for one. */
		if (!origin->file || ((value > 0 || limits_table[index].unit != 's') && can_start(&check->decision.account, limits_table[index].resource, value)))
			continue;
		snprintf(where, sizeof(where), "%s:%u: [limits] %s", origin->file, origin->line, start_limits[i].name);
		check_cure(check_add(check, CHECK_LIMIT_TOO_SMALL, where, "%llu is too little: tried here, a shell that starts a program and writes a file does not come to its end",
				   (unsigned long long)value),
			"sed -i '%uc\\%s = %s' %s", origin->line, start_limits[i].name, start_limits[i].enough, check_quote(file, sizeof(file), origin->file));
	}
}

/* Measured with dash on Debian 12: each of these denied keeps the chain or the shell from its work. Others show in the real run. */
static const char *const needed_calls[] = { "read", "write", "close", "openat", "newfstatat", "mmap", "mprotect", "pread64", "arch_prctl", "futex",
	"rt_sigreturn", "fcntl", "dup2", "pipe2", "clone", "vfork", "execve", "wait4", "exit_group", "prlimit64" };

static bool is_needed(const char *name)
{
	for (size_t i = 0; i < sizeof(needed_calls) / sizeof(needed_calls[0]); i++)
		if (strcmp(needed_calls[i], name) == 0)
			return true;
	return false;
}

static void find_calls(struct check *check)
{
	const struct strv *denied = &check->profile.seccomp_deny;
	const struct profile_origin *origin;
	char where[512], named[512] = "", kept[800] = "";
	struct check_finding *finding;

	for (size_t i = 0; i < denied->len; i++) {
		char *list = is_needed(denied->items[i]) ? named : kept;
		size_t size = list == named ? sizeof(named) : sizeof(kept), len = strlen(list);

		snprintf(list + len, size - len, "%s%s", len ? " " : "", denied->items[i]);
	}
	if (!named[0])
		return;
	check_origin(check, "seccomp", "deny", where, sizeof(where), &origin);
	finding = check_add(check, CHECK_SECCOMP_TOO_MUCH, where, "%s: the chain, or a shell that starts a program, does not come to its end without", named);
	check_cure_setting(check, finding, "seccomp", "deny", kept);
}

static void find_path(struct check *check)
{
	const char *directory = check->profile.path;
	const struct profile_origin *origin;
	char path[4096], where[512];
	struct stat st;

	for (;;) {
		size_t len = strcspn(directory, ":");

		snprintf(path, sizeof(path), "%.*s", (int)len, directory);
		if (fstatat(check->root_fd, path + strspn(path, "/"), &st, 0) == 0 && S_ISDIR(st.st_mode))
			return;
		if (!directory[len])
			break;
		directory += len + 1;
	}
	check_origin(check, "env", "path", where, sizeof(where), &origin);
	check_cure_setting(check, check_add(check, CHECK_PROGRAM_ABSENT, where, "%s: no directory of it is there, and no program is found by its name", check->profile.path),
		"env", "path", profile_keyword("env", "path")->default_text);
}

void check_start(struct check *check)
{
	find_limits(check);
	find_calls(check);
	find_path(check);
}

/* --- programs, looked for by the real run ------------------------------------------------ */

size_t check_programs(const struct check *check, const char *programs[CHECK_PROGRAMS_MAX + 1])
{
	const struct profile *profile = &check->decision.profile;
	size_t len = 0;

	if (profile->shell && strcmp(profile->shell, "none") != 0)
		programs[len++] = profile->shell;
	if (profile->interactive != INTERACTIVE_NO)
		programs[len++] = profile->login_shell;
	if (profile->sftp != SFTP_NO)
		programs[len++] = profile->tool_sftp_server;
	programs[len] = NULL;
	return len;
}

static void add_program(struct check *check, const char *section, const char *key, const char *path)
{
	const struct profile_origin *origin;
	struct check_finding *finding;
	char where[512];

	check_origin(check, section, key, where, sizeof(where), &origin);
	finding = check_add(check, CHECK_PROGRAM_ABSENT, where, "%s: is not there inside, or cannot be run", path);
	if (strcmp(path, profile_keyword(section, key)->default_text) != 0)
		check_cure_setting(check, finding, section, key, profile_keyword(section, key)->default_text);
	else if (strcmp(section, "tools") == 0)
		check_cure(finding, "apt-get install -y --reinstall openssh-sftp-server");
	else
		check_cure(finding, "apt-get install -y --reinstall %s", strcmp(key, "shell") == 0 ? "dash" : "bash");
}

void check_program_absent(struct check *check, const char *path)
{
	const struct profile *profile = &check->decision.profile;

	if (profile->shell && strcmp(path, profile->shell) == 0)
		add_program(check, "command", "shell", path);
	if (strcmp(path, profile->login_shell) == 0 && profile->interactive != INTERACTIVE_NO)
		add_program(check, "command", "login_shell", path);
	if (strcmp(path, profile->tool_sftp_server) == 0 && profile->sftp != SFTP_NO)
		add_program(check, "tools", "sftp_server", path);
}

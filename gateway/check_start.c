/* SPDX-License-Identifier: ISC */
/* Finds settings under which nothing can start: limits, denied system calls, programs that are not there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "selftest.h"
#include "text.h"

/* Measured with dash on Debian 12: below least a shell with a pipe and a redirection does not come to its end. */
static const struct {
	const char *name;
	uint64_t least;
	const char *enough; /* as the profile has it */
} least_limits[] = { { "as", 4u << 20, "256M" }, { "cpu", 1, "10s" }, { "data", 256u << 10, "64M" }, { "fsize", 1024, "64M" }, { "nofile", 16, "256" },
	{ "nproc", 4, "256" }, { "stack", 64u << 10, "1M" } };

static void find_limits(struct check *check)
{
	const struct profile *profile = &check->profile;

	for (size_t i = 0; i < sizeof(least_limits) / sizeof(least_limits[0]); i++) {
		int index = limits_find(least_limits[i].name);
		const struct profile_origin *origin = &profile->limit_origins[index];
		char where[512], file[1024];

		if (profile->limits[index] >= least_limits[i].least || !origin->file)
			continue;
		snprintf(where, sizeof(where), "%s:%u: [limits] %s", origin->file, origin->line, least_limits[i].name);
		check_cure(check_add(check, CHECK_LIMIT_TOO_SMALL, where, "%llu is too little for a shell that starts a program and writes a file",
				   (unsigned long long)profile->limits[index]),
			"sed -i '%uc\\%s = %s' %s", origin->line, least_limits[i].name, least_limits[i].enough, check_quote(file, sizeof(file), origin->file));
	}
}

/* Measured the same way: each of these denied keeps the chain or the shell from its work. */
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

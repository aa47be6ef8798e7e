/* SPDX-License-Identifier: ISC */
/*
 * Owns what a confined account consists of on this host:
 *   1. the account, its workspace, its private directories
 *   2. its profile, from a template, and its key in a file of root's
 *   3. sshd's drop-in, validated before it counts
 *   4. PAM, cron, at, the slice of [account]
 *   5. the login shell, last: until then nothing is confined
 * Every step says what it does, does nothing that is done already, and is taken back when a later one fails.
 */
#include "enroll.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "account.h"
#include "admin.h"
#include "iniedit.h"
#include "load.h"
#include "profile.h"
#include "text.h"

#define KEYS_DIR "/etc/ssh/stockade"
#define PAM_FILE "/etc/pam.d/sshd"
#define PAM_ACCOUNT "account required pam_stockade.so"
#define PAM_SESSION "session required pam_stockade.so"

struct enroll {
	struct admin admin;
	const char *user, *workspace, *template, *key, *as;
	struct account account;
	char path[PATH_MAX]; /* of the file at hand */
};

static const char *path_of(struct enroll *enroll, const char *format, ...) __attribute__((format(printf, 2, 3)));

static const char *path_of(struct enroll *enroll, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(enroll->path, sizeof(enroll->path), format, args);
	va_end(args);
	return enroll->path;
}

/* --- 1 ---------------------------------------------------------------------------- */

static int make_account(struct enroll *enroll, struct err *err)
{
	char undo[300];
	int r = account_by_name(&enroll->account, enroll->user, err);

	if (r == 0 && enroll->account.uid == 0)
		return err_set(err, EINVAL, "root cannot be confined");
	if (r == 0)
		return 0;
	snprintf(undo, sizeof(undo), "userdel -r %s 2>/dev/null", enroll->user);
	r = admin_run(&enroll->admin, undo, err, "/usr/sbin/useradd", "--create-home", "--shell", "/usr/sbin/nologin", "--password", "*",
		enroll->user, NULL);
	if (r || enroll->admin.is_dry)
		return r;
	return account_by_name(&enroll->account, enroll->user, err);
}

static int make_directories(struct enroll *enroll, struct err *err)
{
	const struct account *account = &enroll->account;
	int r = admin_directory(&enroll->admin, enroll->workspace, 0755, account->uid, account->gid, err);

	return r ? r : admin_directory(&enroll->admin, path_of(enroll, "/var/lib/stockade/tmp/%s", enroll->user), 0700, account->uid,
			       account->gid, err);
}

/* --- 2 ---------------------------------------------------------------------------- */

static int fingerprint_of(const char *key, char *out, size_t size, struct err *err)
{
	char command[PATH_MAX + 64], line[1024] = "";
	const char *at;
	FILE *output;

	if (strpbrk(key, "'\n"))
		return err_set(err, EINVAL, "%s: cannot be a key's file", key);
	snprintf(command, sizeof(command), "exec /usr/bin/ssh-keygen -l -f '%s'", key);
	output = popen(command, "re");
	if (!output || !fgets(line, sizeof(line), output))
		line[0] = '\0';
	if (output)
		pclose(output);
	at = strstr(line, "SHA256:");
	if (!at)
		return err_set(err, EINVAL, "%s: is not a public key that ssh-keygen reads", key);
	snprintf(out, size, "%.*s", (int)strcspn(at, " \n"), at);
	return 0;
}

/* The template, with this workspace; the actor's key in it. Heap. */
static char *profile_text(struct enroll *enroll, struct err *err)
{
	char fingerprint[64];
	char *text = admin_read(path_of(enroll, STOCKADE_DATADIR "/templates/%s.ini", enroll->template)), *next;

	if (!text || !*text) {
		free(text);
		err_set(err, ENOENT, "%s: no such template", enroll->path);
		return NULL;
	}
	next = iniedit_set(text, "workspace", "path", enroll->workspace, err);
	free(text);
	if (!next || !enroll->as)
		return next;
	if (fingerprint_of(enroll->key, fingerprint, sizeof(fingerprint), err)) {
		free(next);
		return NULL;
	}
	text = iniedit_set(next, "actors", enroll->as, fingerprint, err);
	free(next);
	return text;
}

static int add_actor(struct enroll *enroll, const char *path, struct err *err)
{
	char fingerprint[64], *before, *after = NULL;
	int r = fingerprint_of(enroll->key, fingerprint, sizeof(fingerprint), err);

	if (r)
		return r;
	before = admin_read(path);
	if (before)
		after = iniedit_set(before, "actors", enroll->as, fingerprint, err);
	r = after ? admin_file(&enroll->admin, path, after, 0644, err) : -EIO;
	free(before);
	free(after);
	return r;
}

static int make_profile(struct enroll *enroll, struct err *err)
{
	char path[PATH_MAX], *text;
	int r;

	snprintf(path, sizeof(path), "%s/profiles/%s.ini", STOCKADE_ETC, enroll->user);
	if (access(path, F_OK) == 0) {
		admin_say(&enroll->admin, "keep %s as it is", path);
		return enroll->as ? add_actor(enroll, path, err) : 0;
	}
	text = profile_text(enroll, err);
	if (!text)
		return -EINVAL;
	r = admin_directory(&enroll->admin, STOCKADE_ETC "/profiles", 0755, (uid_t)-1, 0, err);
	if (r == 0)
		r = admin_file(&enroll->admin, path, text, 0644, err);
	free(text);
	return r;
}

static int add_key(struct enroll *enroll, struct err *err)
{
	char *key, path[PATH_MAX];
	int r;

	if (!enroll->key)
		return 0;
	key = admin_read(enroll->key);
	if (!key || !*key || strchr(key, '\n') != strrchr(key, '\n')) {
		free(key);
		return err_set(err, EINVAL, "%s: is not a file with one public key", enroll->key);
	}
	key[strcspn(key, "\n")] = '\0';
	snprintf(path, sizeof(path), KEYS_DIR "/%s", enroll->user);
	r = admin_directory(&enroll->admin, KEYS_DIR, 0755, (uid_t)-1, 0, err);
	if (r == 0)
		r = admin_add_line(&enroll->admin, path, key, 0644, err);
	free(key);
	return r;
}

/* --- 3 ---------------------------------------------------------------------------- */

static int make_drop_in(struct enroll *enroll, struct err *err)
{
	char path[PATH_MAX], text[2048];
	bool has_keys = enroll->key || access(path_of(enroll, KEYS_DIR "/%s", enroll->user), F_OK) == 0;
	int r;

	snprintf(path, sizeof(path), "/etc/ssh/sshd_config.d/50-stockade-%s.conf", enroll->user);
	snprintf(text, sizeof(text),
		"# Written by stockade enroll; stockade unenroll removes it.\n"
		"Match User %s\n"
		"    ForceCommand exec " STOCKADE_GATEWAY "\n"
		"%s"
		"    DisableForwarding yes\n"
		"    AllowTcpForwarding no\n"
		"    AllowStreamLocalForwarding no\n"
		"    AllowAgentForwarding no\n"
		"    X11Forwarding no\n"
		"    PermitTunnel no\n"
		"    GatewayPorts no\n"
		"    PermitUserRC no\n"
		"    PasswordAuthentication no\n"
		"    ExposeAuthInfo yes\n"
		"    ClientAliveInterval 30\n"
		"    ClientAliveCountMax 3\n",
		enroll->user, has_keys ? "    AuthorizedKeysFile " KEYS_DIR "/%u\n" : "");
	r = admin_directory(&enroll->admin, "/etc/ssh/sshd_config.d", 0755, (uid_t)-1, 0, err);
	if (r == 0)
		r = admin_file(&enroll->admin, path, text, 0644, err);
	if (r == 0)
		r = admin_directory(&enroll->admin, "/run/sshd", 0755, (uid_t)-1, 0, err);
	return r ? r : admin_run(&enroll->admin, NULL, err, "/usr/sbin/sshd", "-t", NULL);
}

static bool has_systemd(void)
{
	return access("/run/systemd/system", F_OK) == 0;
}

static int reload_sshd(struct enroll *enroll, struct err *err)
{
	if (!has_systemd()) {
		admin_say(&enroll->admin, "sshd is not reloaded: this host has no systemd");
		return 0;
	}
	return admin_run(&enroll->admin, NULL, err, "/usr/bin/systemctl", "try-reload-or-restart", "ssh.service", NULL);
}

/* --- 4 ---------------------------------------------------------------------------- */

static int add_pam(struct enroll *enroll, struct err *err)
{
	int r = 0;

	if (access(PAM_FILE, F_OK) < 0)
		return 0;
	r = admin_add_line(&enroll->admin, PAM_FILE, PAM_ACCOUNT, 0644, err);
	return r ? r : admin_add_line(&enroll->admin, PAM_FILE, PAM_SESSION, 0644, err);
}

static int deny_jobs(struct enroll *enroll, struct err *err)
{
	int r = admin_add_line(&enroll->admin, "/etc/cron.deny", enroll->user, 0644, err);

	/* at(1): where neither at.allow nor at.deny exists only root may use it, and making one would let others in. */
	if (r == 0 && access("/etc/at.deny", F_OK) == 0)
		r = admin_add_line(&enroll->admin, "/etc/at.deny", enroll->user, 0644, err);
	return r;
}

static void slice_text(char *out, size_t size, const struct profile *profile)
{
	struct sysinfo info = { 0 };
	uint64_t total, memory;
	size_t len;

	sysinfo(&info);
	total = (uint64_t)info.totalram * info.mem_unit;
	memory = profile_bytes(&profile->account_memory_max, total);
	len = (size_t)snprintf(out, size, "# Written by stockade enroll, for [account] of the profile.\n[Slice]\n");
	if (memory != UINT64_MAX)
		len += (size_t)snprintf(out + len, size - len, "MemoryMax=%llu\n", (unsigned long long)memory & ~4095ull);
	if (profile->account_tasks_max != PROFILE_NONE)
		len += (size_t)snprintf(out + len, size - len, "TasksMax=%llu\n", (unsigned long long)profile->account_tasks_max);
	if (profile->account_cpu_percent != PROFILE_NONE)
		snprintf(out + len, size - len, "CPUQuota=%llu%%\n", (unsigned long long)profile->account_cpu_percent);
}

static int make_slice(struct enroll *enroll, struct err *err)
{
	const struct load load = { .root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), .dir = STOCKADE_ETC, .owner = 0 };
	_cleanup_profile_ struct profile profile;
	char directory[PATH_MAX], path[PATH_MAX], text[512];
	int r = profile_init(&profile, err);

	if (r == 0 && !enroll->admin.is_dry)
		r = load_profile(&profile, &load, &enroll->account, err);
	close(load.root_fd);
	if (r || (!profile.account_memory_max.is_set && profile.account_tasks_max == PROFILE_NONE && profile.account_cpu_percent == PROFILE_NONE))
		return r;
	snprintf(directory, sizeof(directory), "/etc/systemd/system/user-%u.slice.d", enroll->account.uid);
	snprintf(path, sizeof(path), "%.200s/50-stockade.conf", directory);
	slice_text(text, sizeof(text), &profile);
	r = admin_directory(&enroll->admin, directory, 0755, (uid_t)-1, 0, err);
	if (r == 0)
		r = admin_file(&enroll->admin, path, text, 0644, err);
	if (r == 0 && has_systemd())
		r = admin_run(&enroll->admin, "systemctl daemon-reload", err, "/usr/bin/systemctl", "daemon-reload", NULL);
	return r;
}

/* --- 5 ---------------------------------------------------------------------------- */

static int set_shell(struct enroll *enroll, const char *shell, struct err *err)
{
	char undo[PATH_MAX];

	if (enroll->account.shell && strcmp(enroll->account.shell, shell) == 0)
		return 0;
	snprintf(undo, sizeof(undo), "usermod -s %.200s %.200s", enroll->account.shell ? enroll->account.shell : "/usr/sbin/nologin", enroll->user);
	return admin_run(&enroll->admin, undo, err, "/usr/sbin/usermod", "--shell", shell, enroll->user, NULL);
}

static int enroll_all(struct enroll *enroll, struct err *err)
{
	int r = make_account(enroll, err);

	if (r == 0)
		r = make_directories(enroll, err);
	if (r == 0)
		r = make_profile(enroll, err);
	if (r == 0)
		r = add_key(enroll, err);
	if (r == 0)
		r = make_drop_in(enroll, err);
	if (r == 0)
		r = add_pam(enroll, err);
	if (r == 0)
		r = deny_jobs(enroll, err);
	if (r == 0)
		r = make_slice(enroll, err);
	if (r == 0)
		r = set_shell(enroll, STOCKADE_GATEWAY, err);
	return r ? r : reload_sshd(enroll, err);
}

static bool is_last_profile(void)
{
	glob_t found;
	bool is_last = glob(STOCKADE_ETC "/profiles/*.ini", 0, NULL, &found) == GLOB_NOMATCH;

	globfree(&found);
	return is_last;
}

/* The account, its workspace and its files stay; it can no longer log in. */
static int unenroll_all(struct enroll *enroll, struct err *err)
{
	int r = account_by_name(&enroll->account, enroll->user, err);

	if (r == 0)
		r = set_shell(enroll, "/usr/sbin/nologin", err);
	if (r == 0)
		r = admin_remove_file(&enroll->admin, path_of(enroll, "%s/profiles/%s.ini", STOCKADE_ETC, enroll->user), err);
	if (r == 0)
		r = admin_remove_file(&enroll->admin, path_of(enroll, "/etc/ssh/sshd_config.d/50-stockade-%s.conf", enroll->user), err);
	/* What stockade check told to paste. */
	if (r == 0)
		r = admin_remove_file(&enroll->admin, path_of(enroll, "/etc/ssh/sshd_config.d/00-stockade-%s.conf", enroll->user), err);
	if (r == 0)
		r = admin_remove_file(&enroll->admin, path_of(enroll, KEYS_DIR "/%s", enroll->user), err);
	if (r == 0)
		r = admin_remove_file(&enroll->admin, path_of(enroll, "/etc/systemd/system/user-%u.slice.d/50-stockade.conf", enroll->account.uid), err);
	if (r == 0)
		r = admin_remove_lines(&enroll->admin, "/etc/cron.deny", enroll->user, err);
	if (r == 0)
		r = admin_remove_lines(&enroll->admin, "/etc/at.deny", enroll->user, err);
	if (r == 0 && is_last_profile())
		r = admin_remove_lines(&enroll->admin, PAM_FILE, PAM_ACCOUNT, err);
	if (r == 0 && is_last_profile())
		r = admin_remove_lines(&enroll->admin, PAM_FILE, PAM_SESSION, err);
	return r ? r : reload_sshd(enroll, err);
}

static int run_all(struct enroll *enroll, int (*all)(struct enroll *enroll, struct err *err))
{
	struct err err = { "" };
	int r;

	if (geteuid() != 0 && !enroll->admin.is_dry)
		r = err_set(&err, EPERM, "has to be run by root");
	else
		r = all(enroll, &err);
	fflush(stdout);
	if (r) {
		fprintf(stderr, "stockade: %s\n", err.text);
		admin_undo(&enroll->admin);
	}
	admin_release(&enroll->admin);
	account_release(&enroll->account);
	return r ? 1 : 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: stockade enroll USER --workspace DIR [--template NAME] [--key FILE [--as NAME]] [--dry-run]\n"
			"       stockade unenroll USER [--dry-run]\n");
	return 2;
}

static bool take_option(struct enroll *enroll, int argc, char *argv[], int *i)
{
	const struct {
		const char *name;
		const char **value;
	} options[] = { { "--workspace", &enroll->workspace }, { "--template", &enroll->template }, { "--key", &enroll->key }, { "--as", &enroll->as } };

	if (strcmp(argv[*i], "--dry-run") == 0) {
		enroll->admin.is_dry = true;
		return true;
	}
	for (size_t j = 0; j < sizeof(options) / sizeof(options[0]); j++)
		if (strcmp(argv[*i], options[j].name) == 0 && *i + 1 < argc) {
			*options[j].value = argv[++*i];
			return true;
		}
	if (argv[*i][0] == '-' || enroll->user)
		return false;
	enroll->user = argv[*i];
	return true;
}

int enroll_main(int argc, char *argv[])
{
	struct enroll enroll = { .template = "build" };

	for (int i = 1; i < argc; i++)
		if (!take_option(&enroll, argc, argv, &i))
			return usage();
	if (!enroll.user || !enroll.workspace || enroll.workspace[0] != '/' || !text_is_name(enroll.user) || !text_is_name(enroll.template) ||
		(enroll.as && (!enroll.key || !text_is_name(enroll.as))))
		return usage();
	return run_all(&enroll, enroll_all);
}

int unenroll_main(int argc, char *argv[])
{
	struct enroll enroll = { .template = "build" };

	for (int i = 1; i < argc; i++)
		if (!take_option(&enroll, argc, argv, &i))
			return usage();
	if (!enroll.user || !text_is_name(enroll.user) || enroll.workspace || enroll.key || enroll.as)
		return usage();
	return run_all(&enroll, unenroll_all);
}

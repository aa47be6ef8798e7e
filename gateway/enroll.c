/* SPDX-License-Identifier: ISC */
/*
 * Owns what a confined account consists of on this host:
 *   1. the account, its workspace
 *   2. its profile, from a template, its private directories, and its key in a file of root's
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
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "account.h"
#include "admin.h"
#include "iniedit.h"
#include "layout.h"
#include "load.h"
#include "paths.h"
#include "profile.h"
#include "text.h"

struct enroll {
	struct admin admin;
	const char *user, *workspace, *template, *key, *as;
	struct account account;
	bool has_account;        /* false in a dry run for one that is not there yet */
	struct profile profile;  /* as it is, or in a dry run would be */
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

	enroll->has_account = r == 0;
	if (r == 0 && enroll->account.uid == 0)
		return err_set(err, EINVAL, "root cannot be confined");
	if (r != -ENOENT)
		return r;
	snprintf(undo, sizeof(undo), "userdel -r %s 2>/dev/null", enroll->user);
	r = admin_run(&enroll->admin, undo, err, "/usr/sbin/useradd", "--create-home", "--shell", LAYOUT_NO_SHELL, "--password", "*",
		enroll->user, NULL);
	if (r || enroll->admin.is_dry)
		return r;
	r = account_by_name(&enroll->account, enroll->user, err);
	enroll->has_account = r == 0;
	return r;
}

/* As the gateway would: a tree that it refuses is not given to the account. */
static int check_workspace(const struct enroll *enroll, struct err *err)
{
	const struct account *account = &enroll->account;
	char home[300], inside[300];
	struct stat st;
	int r;

	snprintf(home, sizeof(home), "/home/%s", enroll->user);
	snprintf(inside, sizeof(inside), "/home/%s", enroll->user);
	r = paths_check_writable(enroll->workspace,
		&(struct paths_places){ .home = enroll->has_account ? account->home : home, .inside_home = inside, .tmp_dir = "/var/lib/stockade/tmp" }, err);
	if (r || !enroll->has_account || lstat(enroll->workspace, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid == account->uid)
		return r;
	for (size_t i = 0; i < account->groups.len; i++)
		if (account->gids[i] == st.st_gid)
			return 0;
	return err_set(err, EPERM, "%s: is there, and belongs neither to %s nor to a group of it", enroll->workspace, enroll->user);
}

static int make_workspace(struct enroll *enroll, struct err *err)
{
	int r = check_workspace(enroll, err);

	return r ? r : admin_directory(&enroll->admin, enroll->workspace, 0755, enroll->account.uid, enroll->account.gid, err);
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

/* The profile that is there, with the actor's key. Heap. */
static char *kept_text(const struct enroll *enroll, const char *path, struct err *err)
{
	char fingerprint[64], *before = admin_read(path), *after;

	if (!before) {
		err_set(err, EIO, "%s: cannot be read", path);
		return NULL;
	}
	if (!enroll->as)
		return before;
	after = fingerprint_of(enroll->key, fingerprint, sizeof(fingerprint), err) ? NULL : iniedit_set(before, "actors", enroll->as, fingerprint, err);
	free(before);
	return after;
}

/* What the gateway will read: of the text, where a dry run has put none in place. */
static int load_own(struct enroll *enroll, const char *path, const char *text, struct err *err)
{
	const struct load load = { .root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), .dir = STOCKADE_ETC, .owner = 0 };
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	const struct profile_names names = { .user = enroll->user, .group = enroll->account.group, .home = enroll->account.home };
	char *expanded;
	int r;

	if (enroll->has_account && !enroll->admin.is_dry) {
		r = load_profile(&enroll->profile, &load, &enroll->account, err);
	} else {
		r = load_site(&enroll->profile, &load, err);
		if (r == 0)
			r = ini_parse(path, text, strlen(text), &rows, err);
		if (r == 0)
			r = profile_apply(&enroll->profile, &rows, LAYER_ACCOUNT, err);
	}
	close(load.root_fd);
	if (r)
		return r;
	expanded = profile_expand_text(enroll->profile.tmp_dir ? enroll->profile.tmp_dir : "", &names, err);
	if (!expanded)
		return -EINVAL;
	free(enroll->profile.tmp_dir);
	enroll->profile.tmp_dir = expanded;
	return 0;
}

static int make_profile(struct enroll *enroll, struct err *err)
{
	char path[PATH_MAX], *text;
	int r = 0;

	snprintf(path, sizeof(path), "%s/profiles/%s.ini", STOCKADE_ETC, enroll->user);
	if (access(path, F_OK) == 0) {
		admin_say(&enroll->admin, "keep %s as it is", path);
		text = kept_text(enroll, path, err);
	} else {
		text = profile_text(enroll, err);
		r = admin_directory(&enroll->admin, STOCKADE_ETC "/profiles", 0755, (uid_t)-1, 0, err);
	}
	if (!text)
		return -EINVAL;
	if (r == 0)
		r = admin_file(&enroll->admin, path, text, 0644, err);
	if (r == 0)
		r = load_own(enroll, path, text, err);
	free(text);
	return r;
}

static int make_private(struct enroll *enroll, struct err *err)
{
	const struct account *account = &enroll->account;

	return admin_directory(&enroll->admin, path_of(enroll, "%s/%s", enroll->profile.tmp_dir, enroll->user), 0700, account->uid, account->gid, err);
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
	snprintf(path, sizeof(path), LAYOUT_KEYS_DIR "/%s", enroll->user);
	r = admin_directory(&enroll->admin, LAYOUT_KEYS_DIR, 0755, (uid_t)-1, 0, err);
	if (r == 0)
		r = admin_add_line(&enroll->admin, path, key, 0644, err);
	free(key);
	return r;
}

/* --- 3 ---------------------------------------------------------------------------- */

static int make_drop_in(struct enroll *enroll, struct err *err)
{
	char path[PATH_MAX], text[2048];
	bool has_keys = enroll->key || access(path_of(enroll, LAYOUT_KEYS_DIR "/%s", enroll->user), F_OK) == 0;
	int r;

	snprintf(path, sizeof(path), LAYOUT_SSHD_OWN, enroll->user);
	layout_sshd_text(text, sizeof(text), enroll->user, has_keys);
	r = admin_directory(&enroll->admin, LAYOUT_SSHD_DIR, 0755, (uid_t)-1, 0, err);
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

/* The account line goes to cron and at too: the module refuses their jobs. */
static int add_pam(struct enroll *enroll, struct err *err)
{
	int r = 0;

	if (access(LAYOUT_PAM_SSHD, F_OK) == 0)
		r = admin_add_line(&enroll->admin, LAYOUT_PAM_SSHD, LAYOUT_PAM_ACCOUNT, 0644, err);
	if (r == 0 && access(LAYOUT_PAM_SSHD, F_OK) == 0)
		r = admin_add_line(&enroll->admin, LAYOUT_PAM_SSHD, LAYOUT_PAM_SESSION, 0644, err);
	for (size_t i = 0; r == 0 && layout_job_services[i]; i++)
		if (access(path_of(enroll, LAYOUT_PAM_DIR "/%s", layout_job_services[i]), F_OK) == 0)
			r = admin_add_line(&enroll->admin, enroll->path, LAYOUT_PAM_ACCOUNT, 0644, err);
	return r;
}

static int remove_pam(struct enroll *enroll, struct err *err)
{
	int r = admin_remove_lines(&enroll->admin, LAYOUT_PAM_SSHD, LAYOUT_PAM_ACCOUNT, err);

	if (r == 0)
		r = admin_remove_lines(&enroll->admin, LAYOUT_PAM_SSHD, LAYOUT_PAM_SESSION, err);
	for (size_t i = 0; r == 0 && layout_job_services[i]; i++)
		r = admin_remove_lines(&enroll->admin, path_of(enroll, LAYOUT_PAM_DIR "/%s", layout_job_services[i]), LAYOUT_PAM_ACCOUNT, err);
	return r;
}

static int deny_jobs(struct enroll *enroll, struct err *err)
{
	int r = admin_add_line(&enroll->admin, LAYOUT_CRON_DENY, enroll->user, 0644, err);

	/* at(1): where neither at.allow nor at.deny exists only root may use it, and making one would let others in. */
	if (r == 0 && access(LAYOUT_AT_DENY, F_OK) == 0)
		r = admin_add_line(&enroll->admin, LAYOUT_AT_DENY, enroll->user, 0644, err);
	return r;
}

static int reload_units(struct enroll *enroll, struct err *err)
{
	return has_systemd() ? admin_run(&enroll->admin, "systemctl daemon-reload", err, "/usr/bin/systemctl", "daemon-reload", NULL) : 0;
}

static int make_slice(struct enroll *enroll, struct err *err)
{
	char path[PATH_MAX], directory[PATH_MAX], text[512], lines[LAYOUT_SLICE_LINES][64];
	struct sysinfo info = { 0 };
	size_t count, len, changes = enroll->admin.len;
	int r;

	sysinfo(&info);
	count = layout_slice_lines(&enroll->profile, (uint64_t)info.totalram * info.mem_unit, lines);
	if (count == 0)
		return 0;
	if (!enroll->has_account) {
		admin_say(&enroll->admin, "write the limits of [account] for the slice of the account's uid");
		return 0;
	}
	len = (size_t)snprintf(text, sizeof(text), "# Written by stockade enroll, for [account] of the profile.\n[Slice]\n");
	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\n", lines[i]);
	snprintf(path, sizeof(path), LAYOUT_SLICE, enroll->account.uid);
	snprintf(directory, sizeof(directory), "%.*s", (int)(strrchr(path, '/') - path), path);
	r = admin_directory(&enroll->admin, directory, 0755, (uid_t)-1, 0, err);
	if (r == 0)
		r = admin_file(&enroll->admin, path, text, 0644, err);
	return r || (enroll->admin.len == changes && !enroll->admin.is_dry) ? r : reload_units(enroll, err);
}

/* --- 5 ---------------------------------------------------------------------------- */

static int set_shell(struct enroll *enroll, const char *shell, struct err *err)
{
	char undo[PATH_MAX];

	if (enroll->account.shell && strcmp(enroll->account.shell, shell) == 0)
		return 0;
	snprintf(undo, sizeof(undo), "usermod -s %.200s %.200s", enroll->account.shell ? enroll->account.shell : LAYOUT_NO_SHELL, enroll->user);
	return admin_run(&enroll->admin, undo, err, "/usr/sbin/usermod", "--shell", shell, enroll->user, NULL);
}

static int enroll_all(struct enroll *enroll, struct err *err)
{
	int r = make_account(enroll, err);

	if (r == 0)
		r = make_workspace(enroll, err);
	if (r == 0)
		r = make_profile(enroll, err);
	if (r == 0)
		r = make_private(enroll, err);
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

/* No profile is there but the account's own. */
static bool is_last_profile(struct enroll *enroll)
{
	const char *own = path_of(enroll, STOCKADE_ETC "/profiles/%s.ini", enroll->user);
	bool is_last = true;
	glob_t found;

	if (glob(STOCKADE_ETC "/profiles/*.ini", 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			is_last &= strcmp(found.gl_pathv[i], own) == 0;
	globfree(&found);
	return is_last;
}

static int remove_slice(struct enroll *enroll, struct err *err)
{
	char path[PATH_MAX];
	int r;

	snprintf(path, sizeof(path), LAYOUT_SLICE, enroll->account.uid);
	if (access(path, F_OK) < 0)
		return 0;
	r = admin_remove_file(&enroll->admin, path, err);
	return r ? r : reload_units(enroll, err);
}

static int remove_lines(struct enroll *enroll, bool is_last, struct err *err)
{
	int r = admin_remove_lines(&enroll->admin, LAYOUT_CRON_DENY, enroll->user, err);

	if (r == 0)
		r = admin_remove_lines(&enroll->admin, LAYOUT_AT_DENY, enroll->user, err);
	return r == 0 && is_last ? remove_pam(enroll, err) : r;
}

/* The account, its workspace and its files stay; it can no longer log in. */
static int unenroll_all(struct enroll *enroll, struct err *err)
{
	bool is_last = is_last_profile(enroll);
	int r = account_by_name(&enroll->account, enroll->user, err);

	if (r == 0)
		r = set_shell(enroll, LAYOUT_NO_SHELL, err);
	if (r == 0)
		r = admin_remove_file(&enroll->admin, path_of(enroll, STOCKADE_ETC "/profiles/%s.ini", enroll->user), err);
	if (r == 0 && access(path_of(enroll, STOCKADE_ETC "/profiles/%s.d", enroll->user), F_OK) == 0)
		admin_say(&enroll->admin, "keep %s, the actors' own settings", enroll->path);
	if (r == 0)
		r = admin_remove_file(&enroll->admin, path_of(enroll, LAYOUT_SSHD_OWN, enroll->user), err);
	/* What stockade check told to paste. */
	if (r == 0)
		r = admin_remove_file(&enroll->admin, path_of(enroll, LAYOUT_SSHD_EARLY, enroll->user), err);
	if (r == 0)
		r = admin_remove_file(&enroll->admin, path_of(enroll, LAYOUT_KEYS_DIR "/%s", enroll->user), err);
	if (r == 0)
		r = remove_slice(enroll, err);
	if (r == 0)
		r = remove_lines(enroll, is_last, err);
	return r ? r : reload_sshd(enroll, err);
}

static int run_all(struct enroll *enroll, int (*all)(struct enroll *enroll, struct err *err))
{
	struct err err = { "" };
	int r = profile_init(&enroll->profile, &err);

	if (r == 0 && geteuid() != 0 && !enroll->admin.is_dry)
		r = err_set(&err, EPERM, "has to be run by root");
	if (r == 0)
		r = all(enroll, &err);
	fflush(stdout);
	if (r) {
		fprintf(stderr, "stockade: %s\n", err.text);
		admin_undo(&enroll->admin);
	}
	admin_release(&enroll->admin);
	account_release(&enroll->account);
	profile_release(&enroll->profile);
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
	if (!enroll.user || !enroll.workspace || !text_is_plain_path(enroll.workspace) || !text_is_name(enroll.user) || !text_is_name(enroll.template) ||
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

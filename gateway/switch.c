/* SPDX-License-Identifier: ISC */
/* Owns switching an account or an actor off and on: one key of one file, replaced whole or not at all. */
#include "switch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account.h"
#include "iniedit.h"
#include "load.h"
#include "profile.h"
#include "source.h"
#include "text.h"

struct change {
	const char *user, *actor, *message;
	bool is_enabled;
};

/* The whole file as heap text; "" where it does not exist. */
static char *read_file(int root_fd, const char *path, struct err *err)
{
	char *text = calloc(1, INI_FILE_MAX + 1);
	int fd = -1, r = source_open_trusted(root_fd, path, 0, &fd, err);
	ssize_t len = 0;

	if (text && r == 0) {
		len = read(fd, text, INI_FILE_MAX);
		close(fd);
	}
	if (!text || (r && r != -ENOENT) || len < 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* A file that the gateway would refuse is never put in place. */
static int check_text(const char *path, const char *text, enum profile_layer layer, struct err *err)
{
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	_cleanup_profile_ struct profile profile;
	int r = profile_init(&profile, err);

	if (r == 0)
		r = ini_parse(path, text, strlen(text), &rows, err);
	return r ? r : profile_apply(&profile, &rows, layer, err);
}

static int replace_file(const char *path, const char *text, struct err *err)
{
	char part[PATH_MAX];
	int fd, r = 0;

	snprintf(part, sizeof(part), "%s.new", path);
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_set(err, errno, "%s: %s", part, strerror(errno));
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text) || fchmod(fd, 0644) < 0 || fsync(fd) < 0 || rename(part, path) < 0)
		r = err_set(err, errno ? errno : EIO, "%s: %s", path, strerror(errno));
	close(fd);
	if (r)
		unlink(part);
	return r;
}

static int edit_file(const struct load *load, const struct change *change, const char *path, struct err *err)
{
	char *text = read_file(load->root_fd, path, err), *enabled = NULL, *both = NULL;
	int r = -EINVAL;

	if (text)
		enabled = iniedit_set(text, "profile", "enabled", change->is_enabled ? NULL : "no", err);
	if (enabled)
		both = iniedit_set(enabled, "profile", "message", change->is_enabled ? NULL : change->message, err);
	if (both)
		r = check_text(path, both, change->actor ? LAYER_ACTOR : LAYER_ACCOUNT, err);
	if (r == 0)
		r = replace_file(path, both, err);
	free(text);
	free(enabled);
	free(both);
	return r;
}

/* The account's own file: one that a group shares would switch off the others too. */
static int path_of(const struct load *load, const struct change *change, char *path, size_t size, struct err *err)
{
	_cleanup_account_ struct account account = { 0 };
	char directory[PATH_MAX], *name = NULL;
	int r = account_by_name(&account, change->user, err);

	if (r == 0)
		r = load_find(load, &account, &name, err);
	if (r)
		return r;
	if (change->actor) {
		snprintf(directory, sizeof(directory), "%s/profiles/%s.d", load->dir, change->user);
		snprintf(path, size, "%s/%s.ini", directory, change->actor);
		if (mkdir(directory, 0755) < 0 && errno != EEXIST)
			r = err_set(err, errno, "%s: %s", directory, strerror(errno));
	} else {
		snprintf(path, size, "%s/%s", load->dir, name);
		if (name[strlen("profiles/")] == '@')
			r = err_set(err, EINVAL, "%s is shared by a group: give %s a profile of its own that inherits from it, or name an --actor", path,
				change->user);
	}
	free(name);
	return r;
}

static int usage(bool is_enabled)
{
	fprintf(stderr, "usage: stockade %s USER [--actor NAME]%s\n", is_enabled ? "enable" : "disable", is_enabled ? "" : " [--message TEXT]");
	return 2;
}

static int change_main(int argc, char *argv[], bool is_enabled)
{
	const struct load load = { .root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), .dir = STOCKADE_ETC, .owner = 0 };
	struct change change = { .is_enabled = is_enabled };
	struct err err = { "" };
	char path[PATH_MAX];
	int r;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--actor") == 0 && i + 1 < argc)
			change.actor = argv[++i];
		else if (!is_enabled && strcmp(argv[i], "--message") == 0 && i + 1 < argc)
			change.message = argv[++i];
		else if (argv[i][0] != '-' && !change.user)
			change.user = argv[i];
		else
			return usage(is_enabled);
	}
	if (!change.user || (change.actor && !text_is_name(change.actor)) || !text_is_name(change.user))
		return usage(is_enabled);
	r = path_of(&load, &change, path, sizeof(path), &err);
	if (r == 0)
		r = edit_file(&load, &change, path, &err);
	close(load.root_fd);
	if (r) {
		fprintf(stderr, "stockade: %s\n", err.text);
		return 1;
	}
	printf("%s: %s%s%s is %s from the next request on\n", path, change.user, change.actor ? "'s actor " : "",
		change.actor ? change.actor : "", is_enabled ? "enabled" : "disabled");
	return 0;
}

int disable_main(int argc, char *argv[])
{
	return change_main(argc, argv, false);
}

int enable_main(int argc, char *argv[])
{
	return change_main(argc, argv, true);
}

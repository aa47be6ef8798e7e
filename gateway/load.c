/* SPDX-License-Identifier: ISC */
/* Owns which files are read, in which order, and that they are the trusted owner's. */
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source.h"

#define INHERITS_MAX 8

/* One profile of an inherits chain, and the line that asks for it. */
struct link {
	const struct link *heir; /* NULL: the account's own */
	const char *name;        /* "profiles/NAME.ini" */
	const char *file;        /* of the heir, with the line of its inherits */
	unsigned line;
	unsigned depth;
};

/* link: where the file stands in a chain, or NULL. */
static int read_rows(const struct load *load, const char *name, struct ini_rows *rows, const struct link *link, struct err *err)
{
	char path[PATH_MAX];
	int fd = -1, r = 0;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", load->dir, name) >= sizeof(path))
		r = err_set(err, ENAMETOOLONG, "%s/%s: path is too long", load->dir, name);
	if (r == 0)
		r = source_open_trusted(load->root_fd, path, load->owner, &fd, err);
	/* What is wrong in the file's text carries a line of its own. */
	if (r && link && link->heir)
		err_prefix(err, "%s:%u: [profile] inherits", link->file, link->line);
	if (r)
		return r;
	r = ini_read(path, fd, rows, err);
	close(fd);
	return r;
}

static bool exists(const struct load *load, const char *name)
{
	struct source source = SOURCE_INIT;
	struct err ignored;
	struct stat st;
	char path[PATH_MAX];
	bool is_there;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", load->dir, name) >= sizeof(path))
		return false;
	/* What cannot be opened, or is a link to nowhere, counts as there: reading it then says why. */
	is_there = source_open(&source, load->root_fd, path, load->owner, &ignored) != 0 || source.kind != SOURCE_ABSENT ||
		fstatat(load->root_fd, path + strspn(path, "/"), &st, AT_SYMLINK_NOFOLLOW) == 0;
	source_release(&source);
	return is_there;
}

static const struct ini_row *inherited(const struct ini_rows *rows)
{
	for (size_t i = 0; i < rows->len; i++)
		if (strcmp(rows->items[i].section, "profile") == 0 && strcmp(rows->items[i].key, "inherits") == 0)
			return *rows->items[i].value ? &rows->items[i] : NULL;
	return NULL;
}

/* "build, @team, base": the account's own first. */
static void list_chain(const struct link *link, char *out, size_t size)
{
	size_t len;

	out[0] = '\0';
	if (link->heir)
		list_chain(link->heir, out, size);
	len = strlen(out);
	snprintf(out + len, size - len, "%s%.*s", len ? ", " : "", (int)(strlen(link->name) - strlen("profiles/.ini")), link->name + strlen("profiles/"));
}

static int check_parent(const struct link *link, const char *parent, struct err *err)
{
	char name[NAME_MAX + 16], chain[800];

	if (!text_is_name(parent + (*parent == '@')))
		return err_set(err, EINVAL, "\"%.200s\" is not a profile's name, accepted are NAME and @NAME", parent);
	snprintf(name, sizeof(name), "profiles/%s.ini", parent);
	list_chain(link, chain, sizeof(chain));
	for (const struct link *at = link; at; at = at->heir)
		if (strcmp(at->name, name) == 0)
			return err_set(err, ELOOP, "a circle: %s, and %s again", chain, parent);
	if (link->depth == INHERITS_MAX)
		return err_set(err, ELOOP, "more than %d levels: %s, %s", INHERITS_MAX, chain, parent);
	return 0;
}

/* The chain is read from the account's file upwards and applied from its top down. */
static int apply_link(struct profile *profile, const struct load *load, const struct link *link, struct err *err)
{
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	const struct ini_row *row;
	int r = read_rows(load, link->name, &rows, link, err);

	if (r)
		return r == -ENOENT && link->heir ? -EINVAL : r;
	row = inherited(&rows);
	if (row) {
		char name[NAME_MAX + 16];
		const struct link parent = { .heir = link, .name = name, .file = rows.name, .line = row->line, .depth = link->depth + 1 };

		r = check_parent(link, row->value, err);
		if (r) {
			err_prefix(err, "%s:%u: [profile] inherits", rows.name, row->line);
			return r;
		}
		snprintf(name, sizeof(name), "profiles/%s.ini", row->value);
		r = apply_link(profile, load, &parent, err);
	}
	return r ? r : profile_apply(profile, &rows, LAYER_ACCOUNT, err);
}

static int apply_site(struct profile *profile, const struct load *load, struct err *err)
{
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	int r;

	if (!exists(load, "stockade.ini"))
		return 0;
	r = read_rows(load, "stockade.ini", &rows, NULL, err);
	return r ? r : profile_apply(profile, &rows, LAYER_SITE, err);
}

static int find_group(const struct load *load, const struct account *account, char **name, struct err *err)
{
	const char *found = NULL;

	for (size_t i = 0; i < account->groups.len; i++) {
		const char *group = account->groups.items[i];
		char candidate[NAME_MAX + 16];

		if (!text_is_name(group) || (found && strcmp(found, group) == 0))
			continue;
		snprintf(candidate, sizeof(candidate), "profiles/@%s.ini", group);
		if (!exists(load, candidate))
			continue;
		if (found)
			return err_set(err, EINVAL, "%s/profiles: both @%s.ini and @%s.ini are for user %s, and there is no %s.ini", load->dir,
				       found, group, account->name, account->name);
		found = group;
	}
	if (!found)
		return err_set(err, ENOENT, "%s/profiles: no profile for user %s", load->dir, account->name);
	return asprintf(name, "profiles/@%s.ini", found) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

int load_find(const struct load *load, const struct account *account, char **name, struct err *err)
{
	char candidate[NAME_MAX + 16];

	*name = NULL;
	if (!text_is_name(account->name))
		return err_set(err, EINVAL, "the account's name cannot stand in a path");
	snprintf(candidate, sizeof(candidate), "profiles/%s.ini", account->name);
	if (!exists(load, candidate))
		return find_group(load, account, name, err);
	*name = strdup(candidate);
	return *name ? 0 : err_set(err, ENOMEM, "out of memory");
}

int load_profile(struct profile *profile, const struct load *load, const struct account *account, struct err *err)
{
	char *name = NULL;
	int r = load_find(load, account, &name, err);

	if (r == 0)
		r = apply_site(profile, load, err);
	if (r == 0)
		r = apply_link(profile, load, &(struct link){ .name = name }, err);
	free(name);
	return r;
}

int load_actor(struct profile *profile, const struct load *load, const char *user, const char *actor, struct err *err)
{
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	char name[NAME_MAX * 2 + 32];
	int r;

	if (!text_is_name(actor))
		return err_set(err, EINVAL, "the actor's name cannot stand in a path");
	snprintf(name, sizeof(name), "profiles/%s.d/%s.ini", user, actor);
	if (!exists(load, name))
		return 0;
	r = read_rows(load, name, &rows, NULL, err);
	return r ? r : profile_apply(profile, &rows, LAYER_ACTOR, err);
}

int load_site(struct profile *profile, const struct load *load, struct err *err)
{
	return apply_site(profile, load, err);
}

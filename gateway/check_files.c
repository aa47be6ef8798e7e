/* SPDX-License-Identifier: ISC */
/* Finds files of the account's that carry it past the fence: setuid ones, and those that are the same as a file outside. */
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "check.h"
#include "text.h"

#define WALK_ENTRIES_MAX 200000
#define WALK_SECONDS_MAX 3

/* One name of a file that has several. */
struct name {
	dev_t device;
	ino_t inode;
	nlink_t count; /* of names, wherever they are */
	char *path;    /* owned */
};

struct walk {
	struct check *check;
	bool is_writable; /* from inside the fence */
	bool is_cut;      /* not all was seen */
	struct name *names;
	size_t len;
};

static void look_for_setuid(struct walk *walk, const FTSENT *entry)
{
	char quoted[CHECK_CURE_MAX - 256];

	if (entry->fts_statp->st_uid != walk->check->decision.account.uid || !(entry->fts_statp->st_mode & (S_ISUID | S_ISGID)))
		return;
	/* As the account: root would follow a link that is put there meanwhile. */
	check_cure(check_add(walk->check, CHECK_ACCOUNT_SETUID_FILE, entry->fts_path, "is setuid or setgid: who runs it acts as the account, outside any fence"),
		"runuser -u %s -- chmod u-s,g-s %s", walk->check->user, check_quote(quoted, sizeof(quoted), entry->fts_path));
}

static bool is_writable_by(const struct account *account, const struct stat *st)
{
	return st->st_uid == account->uid || (st->st_mode & S_IWOTH) || ((st->st_mode & S_IWGRP) && st->st_gid == account->gid);
}

static void note_name(struct walk *walk, const FTSENT *entry)
{
	const struct stat *st = entry->fts_statp;
	struct name *names;

	if (!walk->is_writable || st->st_nlink < 2 || !is_writable_by(&walk->check->decision.account, st))
		return;
	names = reallocarray(walk->names, walk->len + 1, sizeof(*names));
	if (!names) {
		walk->is_cut = true;
		return;
	}
	walk->names = names;
	names[walk->len] = (struct name){ .device = st->st_dev, .inode = st->st_ino, .count = st->st_nlink, .path = strdup(entry->fts_path) };
	walk->is_cut |= !names[walk->len++].path;
}

/* One file system, a bounded time: a tree of millions of files is not read to its end. */
static void walk_tree(struct walk *walk, char *path)
{
	char *const paths[] = { path, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	time_t until = time(NULL) + WALK_SECONDS_MAX;
	const FTSENT *entry;
	size_t seen = 0;

	while (tree && (entry = fts_read(tree))) {
		if (seen++ == WALK_ENTRIES_MAX || time(NULL) > until) {
			walk->is_cut = true;
			break;
		}
		if (entry->fts_info != FTS_F)
			continue;
		look_for_setuid(walk, entry);
		note_name(walk, entry);
	}
	if (tree)
		fts_close(tree);
}

static int by_file(const void *left, const void *right)
{
	const struct name *a = left, *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return a->path && b->path ? strcmp(a->path, b->path) : 0;
}

static void find_links(const struct walk *walk)
{
	size_t len;

	if (walk->is_cut || walk->len == 0)
		return;
	qsort(walk->names, walk->len, sizeof(*walk->names), by_file);
	for (size_t i = 0; i < walk->len; i += len) {
		const struct name *name = &walk->names[i];
		char quoted[CHECK_CURE_MAX - 256];

		for (len = 1; i + len < walk->len && name[len].device == name->device && name[len].inode == name->inode; len++)
			;
		if (len >= name->count)
			continue;
		/* As the account, whose directory it is. */
		check_cure(check_add(walk->check, CHECK_WORKSPACE_HARD_LINK, name->path,
				   "has %zu names in what the fence lets the account write, and %llu in all: who writes to it writes outside", len,
				   (unsigned long long)name->count),
			"runuser -u %s -- sh -c 'cp -p -- \"$1\" \"$1.alone\" && mv -f -- \"$1.alone\" \"$1\"' sh %s", walk->check->user,
			check_quote(quoted, sizeof(quoted), name->path));
	}
}

static bool is_workspace(const struct facts_source *source)
{
	return (source->use == USE_WORKSPACE || source->use == USE_ALSO) && source->source.kind == SOURCE_DIR;
}

void check_files(struct check *check)
{
	const struct facts *facts = &check->decision.facts;
	struct walk walk = { .check = check, .is_writable = check->decision.profile.access == ACCESS_WRITE };
	char home[4096];
	bool is_walked = false;

	snprintf(home, sizeof(home), "%s", check->decision.account.home);
	for (size_t i = 0; i < facts->sources_len; i++)
		if (is_workspace(&facts->sources[i])) {
			walk_tree(&walk, facts->sources[i].source.path);
			is_walked |= text_path_is_within(home, facts->sources[i].source.path);
		}
	find_links(&walk);
	for (size_t i = 0; i < walk.len; i++)
		free(walk.names[i].path);
	free(walk.names);
	/* From before it was confined. */
	walk = (struct walk){ .check = check };
	if (!is_walked)
		walk_tree(&walk, home);
}

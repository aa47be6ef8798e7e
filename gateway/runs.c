/* SPDX-License-Identifier: ISC */
/* Owns the search for running commands; shows and ends none. */
#include "runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load.h"
#include "process.h"
#include "profile.h"
#include "place.h"
#include "text.h"

struct walk {
	void (*each)(void *data, const struct runs_item *item);
	void *data;
};

/* The word after key on any line of the note, up to the next blank or, for a whole line, its end. */
static void word_of(const char *note, const char *key, const char *stop, char *out, size_t size)
{
	size_t len = strlen(key);
	const char *at = note;

	snprintf(out, size, "-");
	while ((at = strstr(at, key))) {
		if (at == note || at[-1] == ' ' || at[-1] == '\n') {
			snprintf(out, size, "%.*s", (int)strcspn(at + len, stop), at + len);
			return;
		}
		at += len;
	}
}

static bool is_owned_by(pid_t pid, uid_t uid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return stat(path, &st) == 0 && st.st_uid == uid;
}

static void read_note(struct runs_item *item, const char *note)
{
	char number[32];
	uint64_t value;

	word_of(note, "session=", " \n", item->session, sizeof(item->session));
	word_of(note, "user=", " \n", item->user, sizeof(item->user));
	word_of(note, "actor=", " \n", item->actor, sizeof(item->actor));
	word_of(note, "grade=", " \n", item->grade, sizeof(item->grade));
	word_of(note, "\nfrom=" + 1, "\n", item->from, sizeof(item->from));
	word_of(note, "\nkind=" + 1, "\n", item->kind, sizeof(item->kind));
	word_of(note, "\nscope=" + 1, "\n", item->scope, sizeof(item->scope));
	word_of(note, "\ncmd=" + 1, "\n", item->command, sizeof(item->command));
	word_of(note, "since=", "\n", number, sizeof(number));
	if (text_number(number, INT64_MAX, &value) == 0)
		item->since = (long long)value;
	word_of(note, "start=", " \n", number, sizeof(number));
	if (text_number(number, UINT64_MAX, &value) == 0)
		item->start = value;
	word_of(note, "pid=", " \n", number, sizeof(number));
	if (text_number(number, INT_MAX, &value) == 0 && process_is((pid_t)value, item->start) && is_owned_by((pid_t)value, item->uid))
		item->pid = (pid_t)value;
}

static void walk_runs(struct walk *walk, const char *directory)
{
	DIR *dir;
	const struct dirent *entry;
	int dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	dir = dir_fd < 0 ? NULL : fdopendir(dir_fd);
	while (dir && (entry = readdir(dir))) {
		struct runs_item item = { .pid = 0 };
		char note[PLACE_NOTE_MAX + 1];
		struct stat st;
		ssize_t len;
		int fd;

		if (entry->d_name[0] == '.')
			continue;
		fd = openat(dir_fd, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		/* Nobody holds it: its gateway was killed, and the account's next request clears it away. */
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_SH | LOCK_NB) < 0 && (len = read(fd, note, sizeof(note) - 1)) > 0) {
			note[len] = '\0';
			item.uid = st.st_uid;
			read_note(&item, note);
			walk->each(walk->data, &item);
		}
		close(fd);
	}
	if (dir)
		closedir(dir);
	else if (dir_fd >= 0)
		close(dir_fd);
}

/* PARENT/NAME/SUFFIX for every NAME. */
static void walk_parent(struct walk *walk, const char *parent, const char *suffix)
{
	DIR *dir = opendir(parent);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[PATH_MAX];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", parent, entry->d_name, suffix);
		walk_runs(walk, path);
	}
	if (dir)
		closedir(dir);
}

int runs_each(void (*each)(void *data, const struct runs_item *item), void *data, struct err *err)
{
	const struct load load = { .root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), .dir = STOCKADE_ETC, .owner = 0 };
	_cleanup_profile_ struct profile profile;
	struct walk walk = { each, data };
	int r = profile_init(&profile, err);

	if (r == 0)
		r = load_site(&profile, &load, err);
	close(load.root_fd);
	if (r)
		return r;
	walk_parent(&walk, profile.tmp_dir, "runs");
	walk_parent(&walk, "/run/user", "stockade/runs");
	return 0;
}

/* SPDX-License-Identifier: ISC */
/* Finds what is wrong with a profile: by the functions that the gateway itself loads and judges it with. */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "setting.h"
#include "text.h"
#include "words.h"

#define ACTORS_TRIED 64
#define MOUNTS_MANY 100

bool check_origin(const struct check *check, const char *section, const char *key, char *where, size_t size,
	const struct profile_origin **found)
{
	const struct keyword *keyword = profile_keyword(section, key);

	*found = &check->profile.origins[keyword - profile_keywords];
	if ((*found)->file)
		snprintf(where, size, "%s:%u: [%s] %s", (*found)->file, (*found)->line, section, key);
	else
		snprintf(where, size, "%s: [%s] %s", check->profile.files.items[check->profile.files.len - 1], section, key);
	return (*found)->file != NULL;
}

void check_cure_setting(const struct check *check, struct check_finding *finding, const char *section, const char *key, const char *value)
{
	const struct profile_origin *origin;
	char where[512], file[512];

	if (check_origin(check, section, key, where, sizeof(where), &origin))
		check_cure(finding, "sed -i '%uc\\%s = %s' %s", origin->line, key, value, check_quote(file, sizeof(file), origin->file));
	else
		check_cure(finding, "printf '[%s]\\n%%s\\n' '%s = %s' >>%s", section, key, value,
			check_quote(file, sizeof(file), check->profile.files.items[check->profile.files.len - 1]));
}

/* --- sentences of the loader and of the plan ------------------------------------------- */

/* "PATH: is not root's", "…: PATH is not root's": the path in front of the words. */
static bool path_before(const char *text, const char *words, char *path, size_t size)
{
	const char *end = strstr(text, words), *begin;

	if (!end)
		return false;
	if (end > text && end[-1] == ':')
		end--;
	for (begin = end; begin > text && begin[-1] != ' '; begin--)
		;
	snprintf(path, size, "%.*s", (int)(end - begin), begin);
	return path[0] == '/';
}

/* "FILE:LINE:" at the sentence's begin. */
static bool line_of(const char *text, char *file, size_t size, unsigned *line)
{
	size_t len = strcspn(text, ":"), digits = text[len] == ':' ? strspn(text + len + 1, "0123456789") : 0;
	char number[16];
	uint64_t value;

	if (!digits || digits >= sizeof(number) || text[len + 1 + digits] != ':')
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)digits, text + len + 1);
	if (text_number(number, 100000, &value))
		return false;
	*line = (unsigned)value;
	snprintf(file, size, "%.*s", (int)len, text);
	return file[0] == '/';
}

static const char *key_of(enum facts_use use)
{
	switch (use) {
	case USE_ALSO:
		return "workspace also";
	case USE_READ:
		return "view read";
	case USE_TOOLCHAIN:
		return "view toolchains";
	case USE_HIDE:
		return "view hide";
	case USE_DEVICE:
		return "view devices";
	case USE_ETC:
		return "view etc";
	case USE_WORKSPACE:
	case USE_USR:
	case USE_SYS:
	case USE_SOCKET:
	case USE_MASK:
		break;
	}
	return NULL;
}

/* The line that names a path which may not be shown. */
static bool cure_path(const struct check *check, struct check_finding *finding, const char *text)
{
	const struct facts *facts = &check->decision.facts;
	const struct profile_origin *origin;
	char section[16], where[512], file[512];

	for (size_t i = 0; i < facts->sources_len; i++) {
		const char *words = key_of(facts->sources[i].use), *given = facts->sources[i].given;

		if (!words || !text_has_prefix(text, given) || text[strlen(given)] != ':')
			continue;
		snprintf(section, sizeof(section), "%.*s", (int)strcspn(words, " "), words);
		if (!check_origin(check, section, strchr(words, ' ') + 1, where, sizeof(where), &origin))
			return false;
		snprintf(finding->where, sizeof(finding->where), "%s", where);
		check_cure(finding, "sed -i '%us/^/#/' %s", origin->line, check_quote(file, sizeof(file), origin->file));
		return true;
	}
	return false;
}

/* What follows "FILE:LINE: [section] key: ", where that stands in front. */
static const char *past_setting(const char *text)
{
	const char *at = strstr(text, ": [");

	at = at ? strstr(at, "] ") : NULL;
	at = at ? strstr(at, ": ") : NULL;
	return at ? at + 2 : text;
}

static void cure_sentence(const struct check *check, struct check_finding *finding, const char *text)
{
	const struct account *account = &check->decision.account;
	const char *workspace = check->decision.profile.workspace;
	char path[512], quoted[1024];
	unsigned line;

	/* First: a shown path that is the account's is not to become root's, but not to be shown. */
	if (cure_path(check, finding, past_setting(text)))
		return;
	if (path_before(text, " is not root's", path, sizeof(path)))
		check_cure(finding, "chown root:root %s && chmod go-w %s", check_quote(quoted, sizeof(quoted), path), quoted);
	else if (path_before(text, " is reached through a link", path, sizeof(path)))
		check_cure(finding, "cp --remove-destination \"$(readlink -f %s)\" %s", check_quote(quoted, sizeof(quoted), path), quoted);
	else if (path_before(text, " belongs neither", path, sizeof(path)))
		check_cure(finding, "chown -h %s:%s %s", account->name, account->group, check_quote(quoted, sizeof(quoted), path));
	else if (path_before(text, " does not exist", path, sizeof(path)) && workspace && strcmp(path, workspace) == 0)
		check_cure(finding, "install -d -o %s -g %s %s", account->name, account->group, check_quote(quoted, sizeof(quoted), path));
	else if (line_of(text, path, sizeof(path), &line))
		check_cure(finding, "sed -i '%us/^/#/' %s", line, check_quote(quoted, sizeof(quoted), path));
	else
		check_cure(finding, "stockade explain %s   # names each setting with its file and line", check->user);
}

/* --- loading and judging --------------------------------------------------------------- */

static bool load_it(struct check *check)
{
	const struct load load = { .root_fd = check->root_fd, .dir = STOCKADE_ETC, .owner = 0 };
	struct check_finding *finding;
	struct err err = { "" };
	char *name = NULL, where[512];
	int r = load_find(&load, &check->decision.account, &name, &err);

	if (r == -ENOENT) {
		finding = check_add(check, CHECK_PROFILE_MISSING, STOCKADE_ETC "/profiles", "no profile for %s: every request is refused", check->user);
		check_cure(finding, "stockade enroll %s --workspace /srv/work/%s", check->user, check->user);
		return false;
	}
	snprintf(where, sizeof(where), STOCKADE_ETC "/%s", name ? name : "profiles");
	free(name);
	if (r == 0)
		r = profile_init(&check->profile, &err);
	if (r == 0)
		r = load_profile(&check->profile, &load, &check->decision.account, &err);
	if (r == 0)
		r = profile_finish(&check->profile, where, &err);
	if (r == 0)
		return true;
	finding = check_add(check, CHECK_PROFILE_BROKEN, where, "%s", err.text);
	cure_sentence(check, finding, err.text);
	return false;
}

/* As explain does: the gateway's own way up to the plan. */
static void decide(const struct check *check, struct decision *decision, const char *actor)
{
	static const int no_fds[PRIVATE_COUNT] = { -1, -1, -1, -1, -1 };
	const struct load load = { .root_fd = check->root_fd, .dir = STOCKADE_ETC, .owner = 0 };
	const struct decision_options options = { .load = &load, .actor = actor, .is_selftest = true, .is_login_assumed = true };
	char name[] = "stockade-gateway", command[] = "true", *argv[] = { name, NULL };
	const struct request_input input = { .argc = 1, .argv = argv, .original_command = command };
	struct err err = { "" };

	request_parse(&decision->request, &input, &err);
	decision_make(decision, &options);
	if (decision->plan.reason == REASON_NONE)
		decision_plan(decision, "SESSION", no_fds, "PRIVATE", -1);
}

static void judge(struct check *check, const struct decision *decision, const char *actor)
{
	struct check_finding *finding;

	/* What the host lacks is told by check_for_real(). */
	if (decision->plan.reason != REASON_PROFILE)
		return;
	finding = check_add(check, CHECK_PROFILE_REFUSED, check->profile.files.items[check->profile.files.len - 1], "%s%s%s%s",
		actor ? "actor " : "", actor ? actor : "", actor ? ": " : "", decision->plan.detail);
	cure_sentence(check, finding, decision->plan.detail);
}

static void judge_all(struct check *check)
{
	const struct profile_entries *actors = &check->profile.actors;
	const char *first = actors->len ? actors->items[0].name : NULL;

	decide(check, &check->decision, first);
	check->has_facts = check->decision.facts.sources_len > 0;
	judge(check, &check->decision, first);
	for (size_t i = 1; i < actors->len && i < ACTORS_TRIED && strstr(check->profile.workspace, "%a"); i++) {
		struct decision decision = { .has_profile = false };
		struct err err;

		if (account_by_name(&decision.account, check->user, &err) == 0) {
			decide(check, &decision, actors->items[i].name);
			judge(check, &decision, actors->items[i].name);
		}
		decision_release(&decision);
	}
}

/* --- settings --------------------------------------------------------------------------- */

static void check_groups(struct check *check)
{
	const struct facts *facts = &check->decision.facts;
	const struct account *account = &check->decision.account;

	for (size_t i = 0; i < facts->sources_len; i++) {
		const struct facts_source *item = &facts->sources[i];
		char quoted[1024];

		if ((item->use != USE_WORKSPACE && item->use != USE_ALSO) || item->source.kind != SOURCE_DIR || item->source.gid == account->gid)
			continue;
		check_cure(check_add(check, CHECK_WORKSPACE_FOREIGN_GROUP, item->source.path,
				   "belongs to group %u and not to %s's primary group: chgrp fails inside, where no other group is mapped", item->source.gid,
				   check->user),
			"chgrp -h %s %s", account->group, check_quote(quoted, sizeof(quoted), item->source.path));
	}
}

static void check_locale(struct check *check)
{
	const struct profile_origin *origin;
	char where[512];

	if (check->decision.facts.has_locale)
		return;
	check_origin(check, "env", "locale", where, sizeof(where), &origin);
	check_cure_setting(check, check_add(check, CHECK_LOCALE_ABSENT, where, "this host has no locale %s: C.UTF-8 is used instead", check->profile.locale),
		"env", "locale", "C.UTF-8");
}

/* Any of the entries that the word stands for. */
static bool has_entry(const struct check *check, const char *word)
{
	_cleanup_profile_ struct profile profile;
	const struct keyword *keyword = profile_keyword("view", "etc");
	struct err err;

	if (profile_init(&profile, &err))
		return true;
	strv_release(&profile.etc);
	if (setting_parse(&profile, keyword, word, &err))
		return true;
	for (size_t i = 0; i < profile.etc.len; i++) {
		char path[512];

		snprintf(path, sizeof(path), "etc/%s", profile.etc.items[i]);
		if (check_exists(check, path))
			return true;
	}
	return false;
}

/* Whether the word still counts: a layer above may have started the list anew. */
static bool is_shown(const struct check *check, const char *word)
{
	_cleanup_profile_ struct profile profile;
	struct err err;
	bool is_kept = true;

	if (profile_init(&profile, &err))
		return true;
	strv_release(&profile.etc);
	if (setting_parse(&profile, profile_keyword("view", "etc"), word, &err))
		return true;
	for (size_t i = 0; i < profile.etc.len; i++)
		is_kept &= strv_contains(&check->profile.etc, profile.etc.items[i]);
	return is_kept;
}

static void check_preset_row(struct check *check, const char *path, const struct ini_row *row)
{
	_cleanup_strv_ struct strv words = STRV_INIT;
	char where[512], file[512];
	size_t present = 0;
	struct err ignored;

	if (words_split(row->value, WORDS_LIST, &words, &ignored))
		return;
	snprintf(where, sizeof(where), "%s:%u: [view] etc", path, row->line);
	check_quote(file, sizeof(file), path);
	for (size_t i = 0; i < words.len; i++)
		present += has_entry(check, words.items[i]);
	for (size_t i = 0; i < words.len; i++) {
		struct check_finding *finding;
		const char *word = words.items[i];

		if (has_entry(check, word) || !is_shown(check, word))
			continue;
		finding = check_add(check, CHECK_PRESET_ABSENT, where, "%s: this host has nothing of it in /etc: install the tool, or do not name it", word);
		/* An empty list would hide the defaults too. */
		if (present == 0)
			check_cure(finding, "sed -i '%us/^#*/#/' %s", row->line, file);
		else
			check_cure(finding, "sed -i '%us,\\([ \\t=\"]\\)%s\\([ \\t\"]\\|$\\),\\1\\2,' %s", row->line, word, file);
	}
}

/* In every file of the profile: a word with a + adds to what another one shows. */
static void check_presets(struct check *check)
{
	for (size_t i = 0; i < check->profile.files.len; i++) {
		_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
		const char *path = check->profile.files.items[i];
		char *text = check_read(check, path);
		struct err ignored;

		if (text && ini_parse(path, text, strlen(text), &rows, &ignored) == 0)
			for (size_t j = 0; j < rows.len; j++)
				if (strcmp(rows.items[j].section, "view") == 0 && strcmp(rows.items[j].key, "etc") == 0)
					check_preset_row(check, path, &rows.items[j]);
		free(text);
	}
}

/* The list that gives most of them. */
static enum facts_use longest_list(const struct facts *facts, size_t *len)
{
	size_t counts[USE_MASK + 1] = { 0 };
	enum facts_use longest = USE_READ;

	for (size_t i = 0; i < facts->sources_len; i++)
		counts[facts->sources[i].use] += facts->sources[i].source.fd >= 0;
	for (enum facts_use use = USE_WORKSPACE; use <= USE_MASK; use++)
		if (key_of(use) && counts[use] > counts[longest])
			longest = use;
	*len = counts[longest];
	return longest;
}

static bool is_mount(enum plan_op_kind kind)
{
	return kind != OP_SYMLINK && kind != OP_DIR && kind != OP_FILE && kind != OP_SEAL;
}

void check_mounts(struct check *check)
{
	size_t len = 0, mounts = 0;
	const char *words = key_of(longest_list(&check->decision.facts, &len));
	const struct profile_origin *origin;
	char section[16], where[512], file[512];

	for (size_t i = 0; i < check->decision.plan.ops_len; i++)
		mounts += is_mount(check->decision.plan.ops[i].kind);
	if (mounts < MOUNTS_MANY)
		return;
	snprintf(section, sizeof(section), "%.*s", (int)strcspn(words, " "), words);
	if (check_origin(check, section, strchr(words, ' ') + 1, where, sizeof(where), &origin))
		check_cure(check_add(check, CHECK_MANY_MOUNTS, where, "the view has %zu mounts, %zu of them by this line: name a directory above in their place", mounts, len),
			"sed -i '%us/^/#/' %s", origin->line, check_quote(file, sizeof(file), origin->file));
	else
		check_cure(check_add(check, CHECK_MANY_MOUNTS, where, "the view has %zu mounts", mounts), "stockade explain %s   # names each, and why", check->user);
}

static void check_enforce(struct check *check)
{
	const struct profile_origin *origin;
	char where[512];

	if (check->profile.enforce != ENFORCE_BEST_EFFORT || check->profile.min_grade != MIN_GRADE_FULL)
		return;
	check_origin(check, "cgroup", "enforce", where, sizeof(where), &origin);
	check_cure_setting(check, check_add(check, CHECK_BEST_EFFORT_UNDER_FULL, where,
				    "best-effort never helps under min_grade = full: without limits every request is refused all the same"),
		"cgroup", "enforce", "required");
}

void check_profile(struct check *check)
{
	check->has_profile = load_it(check);
	if (!check->has_profile)
		return;
	judge_all(check);
	check_mounts(check);
	check_presets(check);
	check_enforce(check);
	if (!check->has_facts)
		return;
	check_groups(check);
	check_locale(check);
}

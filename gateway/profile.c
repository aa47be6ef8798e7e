/* SPDX-License-Identifier: ISC */
/*
 * Owns how layers of rows become a profile:
 *   1. profile_init()    built-in defaults, from the keyword table
 *   2. profile_apply()   one file's rows, lowest layer first
 *   3. profile_finish()  what only the whole can show
 *   4. profile_expand()  names in place of %-specifiers
 * Never opens a file and never decides on a request.
 */
#include "profile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "egress.h"
#include "seccomp.h"
#include "setting.h"
#include "words.h"

static void entries_release(struct profile_entries *entries)
{
	for (size_t i = 0; i < entries->len; i++) {
		free(entries->items[i].name);
		free(entries->items[i].text);
		strv_release(&entries->items[i].words);
	}
	free(entries->items);
	*entries = (struct profile_entries){ 0 };
}

void profile_release(struct profile *profile)
{
	for (size_t i = 0; i < profile_keywords_count; i++)
		setting_release(profile, &profile_keywords[i]);
	entries_release(&profile->allow);
	entries_release(&profile->deny);
	entries_release(&profile->menu);
	entries_release(&profile->actors);
	strv_release(&profile->files);
}

int profile_init(struct profile *profile, struct err *err)
{
	memset(profile, 0, sizeof(*profile));
	for (size_t i = 0; i < profile_keywords_count; i++) {
		int r = setting_parse(profile, &profile_keywords[i], profile_keywords[i].default_text, err);

		if (r) {
			err_prefix(err, "built-in default: [%s] %s", profile_keywords[i].section, profile_keywords[i].key);
			return r;
		}
	}
	for (int i = 0; i < LIMITS_COUNT; i++)
		profile->limits[i] = LIMIT_UNSET;
	profile->limits[limits_find("nofile")] = 4096;
	profile->limits[limits_find("core")] = 0;
	return 0;
}

const struct keyword *profile_keyword(const char *section, const char *key)
{
	for (size_t i = 0; i < profile_keywords_count; i++)
		if (strcmp(profile_keywords[i].section, section) == 0 && strcmp(profile_keywords[i].key, key) == 0)
			return &profile_keywords[i];
	return NULL;
}

static bool is_section(const char *section)
{
	static const char *const named[] = { "allow", "deny", "menu", "actors", "limits" };

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (strcmp(named[i], section) == 0)
			return true;
	for (size_t i = 0; i < profile_keywords_count; i++)
		if (strcmp(profile_keywords[i].section, section) == 0)
			return true;
	return false;
}

static struct profile_entries *entries_of(struct profile *profile, const char *section)
{
	if (strcmp(section, "allow") == 0)
		return &profile->allow;
	if (strcmp(section, "deny") == 0)
		return &profile->deny;
	if (strcmp(section, "menu") == 0)
		return &profile->menu;
	if (strcmp(section, "actors") == 0)
		return &profile->actors;
	return NULL;
}

static struct profile_entry *entry_named(struct profile_entries *entries, const char *name)
{
	struct profile_entry *items;

	for (size_t i = 0; i < entries->lower; i++)
		if (strcmp(entries->items[i].name, name) == 0)
			return &entries->items[i];
	items = reallocarray(entries->items, entries->len + 1, sizeof(*items));
	if (!items)
		return NULL;
	entries->items = items;
	items[entries->len] = (struct profile_entry){ .name = strdup(name) };
	return items[entries->len].name ? &items[entries->len++] : NULL;
}

/* Elsewhere it would be a glob that matches nothing but three dots. */
static int check_rest(const char *section, const struct strv *words, struct err *err)
{
	bool is_rule = strcmp(section, "allow") == 0 || strcmp(section, "deny") == 0;

	for (size_t i = 0; is_rule && i + 1 < words->len; i++)
		if (strcmp(words->items[i], "...") == 0)
			return err_set(err, EINVAL, "\"...\" takes the rest and may only be the last word; accepted: \"*\" for any one word, [.][.][.] for three dots");
	return 0;
}

static int apply_entry(struct profile_entries *entries, const struct ini_row *row, const char *file, struct err *err)
{
	_cleanup_strv_ struct strv words = STRV_INIT;
	struct profile_entry *entry;
	int r = 0;

	if (!row->value[strspn(row->value, " \t")])
		return err_set(err, EINVAL, "is empty, accepted are words");
	if (strcmp(row->section, "menu") != 0)
		r = words_split(row->value, WORDS_LIST, &words, err);
	if (r == 0)
		r = check_rest(row->section, &words, err);
	if (r)
		return r;
	entry = entry_named(entries, row->key);
	if (!entry)
		return err_set(err, ENOMEM, "out of memory");
	free(entry->text);
	entry->text = strdup(row->value);
	entry->file = file;
	entry->line = row->line;
	if (!entry->text || strv_copy(&entry->words, &words))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

static int apply_limit(struct profile *profile, const struct ini_row *row, const char *file, struct err *err)
{
	int index = limits_find(row->key);

	if (index < 0)
		return err_set(err, EINVAL, "no such limit, accepted are the names of prlimit(1): nofile, nproc, cpu, fsize, as, stack…");
	profile->limit_origins[index] = (struct profile_origin){ file, row->line };
	return limits_parse(&limits_table[index], row->value, &profile->limits[index], err);
}

static int apply_keyword(struct profile *profile, const struct ini_row *row, enum profile_layer layer, const char *file,
	struct err *err)
{
	const struct keyword *keyword = profile_keyword(row->section, row->key);

	if (!keyword)
		return err_set(err, EINVAL, "no such key in this section, see stockade.ini(5)");
	if (keyword->place == PLACE_SITE && layer != LAYER_SITE)
		return err_set(err, EINVAL, "may stand in stockade.ini only");
	if (keyword->place == PLACE_PROFILE && layer == LAYER_SITE)
		return err_set(err, EINVAL, "may stand in a profile only, and not in stockade.ini");
	if ((keyword->place == PLACE_NOT_ACTOR || keyword->place == PLACE_PROFILE) && layer == LAYER_ACTOR)
		return err_set(err, EINVAL, "may not stand in an actor's file");
	profile->origins[keyword - profile_keywords] = (struct profile_origin){ file, row->line };
	return setting_parse(profile, keyword, row->value, err);
}

static int apply_row(struct profile *profile, const struct ini_row *row, enum profile_layer layer, const char *file,
	struct err *err)
{
	struct profile_entries *entries = entries_of(profile, row->section);

	if (!is_section(row->section))
		return err_set(err, EINVAL, "no such section, see stockade.ini(5)");
	if (layer == LAYER_ACTOR && strcmp(row->section, "actors") == 0)
		return err_set(err, EINVAL, "may not stand in an actor's file");
	if (entries)
		return apply_entry(entries, row, file, err);
	if (strcmp(row->section, "limits") == 0)
		return apply_limit(profile, row, file, err);
	return apply_keyword(profile, row, layer, file, err);
}

int profile_apply(struct profile *profile, const struct ini_rows *rows, enum profile_layer layer, struct err *err)
{
	const char *file;
	int r;

	strv_add(&profile->files, rows->name);
	r = strv_finish(&profile->files, err);
	if (r)
		return r;
	file = profile->files.items[profile->files.len - 1];
	profile->allow.lower = profile->allow.len;
	profile->deny.lower = profile->deny.len;
	profile->menu.lower = profile->menu.len;
	profile->actors.lower = profile->actors.len;
	for (size_t i = 0; i < rows->len; i++) {
		const struct ini_row *row = &rows->items[i];

		r = apply_row(profile, row, layer, file, err);
		if (r) {
			err_prefix(err, "%s:%u: [%s] %s", file, row->line, row->section, row->key);
			return r;
		}
	}
	return 0;
}

bool profile_has_rules(const struct profile *profile)
{
	return profile->allow.len > 0 || profile->menu.len > 0;
}

/* "FILE:LINE: [section] key" of a keyword, or "NAME: [section] key" where only the default stands. */
static int finish_error(const struct profile *profile, const char *name, const char *section, const char *key, struct err *err)
{
	const struct keyword *keyword = profile_keyword(section, key);
	const struct profile_origin *origin = keyword ? &profile->origins[keyword - profile_keywords] : NULL;

	if (origin && origin->file)
		err_prefix(err, "%s:%u: [%s] %s", origin->file, origin->line, section, key);
	else
		err_prefix(err, "%s: [%s] %s", name, section, key);
	return -EINVAL;
}

static bool is_search_path(const char *path)
{
	for (;;) {
		size_t len = strcspn(path, ":");

		if (path[0] != '/' || memmem(path, len, "/../", 4))
			return false;
		if (!path[len])
			return true;
		path += len + 1;
	}
}

static bool is_locale_name(const char *name)
{
	return *name && strlen(name) < 64 && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.@-") == strlen(name) &&
		name[0] != '.';
}

static int finish_command(const struct profile *profile, const char *name, struct err *err)
{
	if (!profile->shell || (profile->shell[0] != '/' && strcmp(profile->shell, "none") != 0)) {
		err_set(err, EINVAL, "is not an absolute path, accepted is also none");
		return finish_error(profile, name, "command", "shell", err);
	}
	if (!profile->login_shell || profile->login_shell[0] != '/') {
		err_set(err, EINVAL, "is not an absolute path");
		return finish_error(profile, name, "command", "login_shell", err);
	}
	if (!profile->path || !is_search_path(profile->path)) {
		err_set(err, EINVAL, "is not a list of absolute directories joined by \":\"");
		return finish_error(profile, name, "env", "path", err);
	}
	if (!profile->locale || !is_locale_name(profile->locale)) {
		err_set(err, EINVAL, "is not a locale's name, accepted are words such as C.UTF-8, de_DE.UTF-8");
		return finish_error(profile, name, "env", "locale", err);
	}
	return 0;
}

static int finish_seccomp(const struct profile *profile, const char *name, struct err *err)
{
	for (size_t i = 0; i < profile->seccomp_allow.len; i++)
		if (!seccomp_allow_from_name(profile->seccomp_allow.items[i])) {
			err_set(err, EINVAL, "\"%s\" is not understood; accepted: ptrace userns 32bit keyring io_uring perf",
				profile->seccomp_allow.items[i]);
			return finish_error(profile, name, "seccomp", "allow", err);
		}
	for (size_t i = 0; i < profile->seccomp_deny.len; i++)
		if (!seccomp_is_syscall(profile->seccomp_deny.items[i])) {
			err_set(err, EINVAL, "\"%s\" is not the name of a system call", profile->seccomp_deny.items[i]);
			return finish_error(profile, name, "seccomp", "deny", err);
		}
	return 0;
}

static int finish_network(const struct profile *profile, const char *name, struct err *err)
{
	const struct keyword *allow = profile_keyword("network", "allow");

	/* No word opens all there is: emptied by an overlay it would widen what it means to narrow. */
	if (!profile->network_allow.len && profile->origins[allow - profile_keywords].file) {
		err_set(err, EINVAL, "is empty, accepted are words, 0.0.0.0/0 for all, or no such line");
		return finish_error(profile, name, "network", "allow", err);
	}
	for (size_t i = 0; i < profile->network_allow.len; i++) {
		struct egress_word word;

		if (egress_parse(&word, profile->network_allow.items[i], err))
			return finish_error(profile, name, "network", "allow", err);
	}
	for (size_t i = 0; i < profile->dns.len; i++)
		if (!egress_is_server(profile->dns.items[i])) {
			err_set(err, EINVAL, "\"%s\" is not an IPv4 address of a name server that a run could reach", profile->dns.items[i]);
			return finish_error(profile, name, "network", "dns", err);
		}
	return 0;
}

static bool is_fingerprint(const char *word)
{
	/* sshd's form: base64 of 32 bytes without padding, 43 characters; ":principal" for a CA. */
	const char *base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	if (!text_has_prefix(word, "SHA256:"))
		return false;
	word += strlen("SHA256:");
	if (strspn(word, base64) != 43)
		return false;
	return !word[43] || (word[43] == ':' && word[44]);
}

static int finish_actors(const struct profile *profile, struct err *err)
{
	for (size_t i = 0; i < profile->actors.len; i++) {
		const struct profile_entry *actor = &profile->actors.items[i];

		for (size_t j = 0; j < actor->words.len; j++)
			if (!is_fingerprint(actor->words.items[j]))
				return err_set(err, EINVAL, "%s:%u: [actors] %s: \"%s\" is not a key's SHA256:… fingerprint", actor->file,
					actor->line, actor->name, actor->words.items[j]);
	}
	return 0;
}

int profile_finish(struct profile *profile, const char *name, struct err *err)
{
	int r;

	if (!profile->workspace) {
		err_set(err, EINVAL, "must be given, accepted is an absolute path");
		return finish_error(profile, name, "workspace", "path", err);
	}
	if (profile->deny.len > 0 && profile->allow.len == 0)
		return err_set(err, EINVAL, "%s:%u: [deny] %s: stands without [allow]: a shell would undo it", profile->deny.items[0].file,
			profile->deny.items[0].line, profile->deny.items[0].name);
	if (profile->tmp_size.is_set && profile->backing == BACKING_DISK && profile->tmp_mode == TMP_COMMAND) {
		err_set(err, EINVAL, "with backing = disk is of a whole connection, accepted are mode = session or backing = memory");
		return finish_error(profile, name, "tmp", "size", err);
	}
	if (!profile->tmp_dir) {
		err_set(err, EINVAL, "must not be empty");
		return finish_error(profile, name, "tmp", "dir", err);
	}
	if (profile->interactive == INTERACTIVE_AUTO)
		profile->interactive = profile_has_rules(profile) ? INTERACTIVE_NO : INTERACTIVE_YES;
	r = finish_command(profile, name, err);
	if (r == 0)
		r = finish_seccomp(profile, name, err);
	if (r == 0)
		r = finish_network(profile, name, err);
	return r ? r : finish_actors(profile, err);
}

static const char *specifier(char letter, const struct profile_names *names)
{
	switch (letter) {
	case 'u':
		return names->user;
	case 'a':
		return names->actor;
	case 'g':
		return names->group;
	case 'h':
		return names->home;
	case '%':
		return "%";
	default:
		return NULL;
	}
}

char *profile_expand_text(const char *text, const struct profile_names *names, struct err *err)
{
	char out[PATH_MAX];
	size_t len = 0;

	for (const char *at = text; *at; at++) {
		char letter[2] = { *at, 0 };
		const char *piece = letter;

		if (*at == '%') {
			piece = specifier(at[1], names);
			if (!piece && at[1] == 'a') {
				err_set(err, EINVAL, "\"%s\" names the actor, and this request has none", text);
				return NULL;
			}
			if (!piece) {
				err_set(err, EINVAL, "\"%s\" has an unknown specifier, accepted are %%u %%a %%g %%h %%%%", text);
				return NULL;
			}
			if (at[1] != 'h' && at[1] != '%' && !text_is_name(piece)) {
				err_set(err, EINVAL, "\"%s\" names something whose name cannot stand in a path", text);
				return NULL;
			}
			at++;
		}
		if (len + strlen(piece) >= sizeof(out)) {
			err_set(err, ENAMETOOLONG, "\"%s\" is too long a path", text);
			return NULL;
		}
		memcpy(out + len, piece, strlen(piece));
		len += strlen(piece);
	}
	out[len] = '\0';
	return strdup(out);
}

static int expand_in_place(char **text, const struct profile_names *names, struct err *err)
{
	char *expanded;

	if (!*text || !strchr(*text, '%'))
		return 0;
	expanded = profile_expand_text(*text, names, err);
	if (!expanded)
		return -EINVAL;
	if (!text_is_plain_path(expanded + (expanded[0] == '?'))) {
		err_set(err, EINVAL, "\"%s\" becomes \"%s\", which is not an absolute path without \".\", \"..\" and \"//\"", *text, expanded);
		free(expanded);
		return -EINVAL;
	}
	free(*text);
	*text = expanded;
	return 0;
}

int profile_expand(struct profile *profile, const struct profile_names *names, struct err *err)
{
	for (size_t i = 0; i < profile_keywords_count; i++) {
		const struct keyword *keyword = &profile_keywords[i];
		void *target = (char *)profile + keyword->offset;
		int r = 0;

		if (keyword->type == KEYWORD_PATH)
			r = expand_in_place(target, names, err);
		for (size_t j = 0; keyword->type == KEYWORD_PATHS && r == 0 && j < ((struct strv *)target)->len; j++)
			r = expand_in_place(&((struct strv *)target)->items[j], names, err);
		if (r)
			return finish_error(profile, names->user, keyword->section, keyword->key, err);
	}
	return 0;
}

uint64_t profile_bytes(const struct profile_size *size, uint64_t total)
{
	if (!size->is_set)
		return UINT64_MAX;
	return size->amount.is_percent ? total / 100 * size->amount.value : size->amount.value;
}

/* SPDX-License-Identifier: ISC */
/* Finds the rules of sudoers(5) and doas.conf(5) that let the account act as another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "text.h"

struct rules {
	struct check *check;
	const char *path;
	unsigned first, last; /* lines of the file that the rule at hand takes */
	struct strv aliases;  /* User_Alias names that stand for the account */
	bool is_collecting;   /* these, and nothing else: they may be defined behind their use */
	struct strv seen;     /* files and directories that were read in this turn */
};

/* A rule a line, but for those that a backslash continues: its pieces are joined. */
static void each_rule(struct rules *rules, char *text, void (*each)(struct rules *rules, char *rule))
{
	unsigned number = 1;

	while (text && *text) {
		char *end = text;

		for (rules->first = number; *end && *end != '\n'; end++)
			if (end[0] == '\\' && end[1] == '\n') {
				end[0] = end[1] = ' ';
				number++;
			}
		rules->last = number++;
		if (*end)
			*end++ = '\0';
		each(rules, text + strspn(text, " \t"));
		text = end;
	}
}

static void found(const struct rules *rules, const char *program)
{
	char where[600], quoted[1024];

	snprintf(where, sizeof(where), "%s:%u", rules->path, rules->first);
	check_cure(check_add(rules->check, CHECK_ACCOUNT_SUDOERS, where, "%s lets the account run commands as another user, outside any fence", program),
		"sed -i '%u,%us/^/# /' %s", rules->first, rules->last, check_quote(quoted, sizeof(quoted), rules->path));
}

/* --- sudo ------------------------------------------------------------------------------ */

static bool is_meant(const struct rules *rules, const char *word)
{
	const struct account *account = &rules->check->decision.account;
	char number[16];

	snprintf(number, sizeof(number), "#%u", account->uid);
	if (strcmp(word, "ALL") == 0 || strcmp(word, account->name) == 0 || strcmp(word, number) == 0)
		return true;
	for (size_t i = 0; i < account->groups.len; i++) {
		snprintf(number, sizeof(number), "%%#%u", account->gids[i]);
		if (word[0] == '%' && (strcmp(word + 1, account->groups.items[i]) == 0 || strcmp(word, number) == 0))
			return true;
	}
	return strv_contains(&rules->aliases, word);
}

/* Words joined by commas. */
static bool is_any_meant(const struct rules *rules, char *list)
{
	char *save = NULL;

	for (char *word = strtok_r(list, ", \t", &save); word; word = strtok_r(NULL, ", \t", &save))
		if (is_meant(rules, word))
			return true;
	return false;
}

/* NAME = WORD, … [: NAME = …] */
static void collect(struct rules *rules, char *definitions)
{
	char *save = NULL;

	for (char *one = strtok_r(definitions, ":", &save); one; one = strtok_r(NULL, ":", &save)) {
		char *equals = strchr(one, '=');

		one += strspn(one, " \t");
		if (!equals)
			continue;
		*equals = '\0';
		one[strcspn(one, " \t")] = '\0';
		if (!strv_contains(&rules->aliases, one) && is_any_meant(rules, equals + 1))
			strv_add(&rules->aliases, one);
	}
}

static void look_at_sudoers(struct rules *rules, const char *path);

static void look_at_entry(void *data, const char *path)
{
	/* As sudo itself: neither editors' nor packages' leftovers. */
	if (!text_has_suffix(path, "~") && !strchr(strrchr(path, '/'), '.'))
		look_at_sudoers(data, path);
}

static void look_at_directory(struct rules *rules, const char *path)
{
	if (strv_contains(&rules->seen, path))
		return;
	strv_add(&rules->seen, path);
	check_entries(rules->check, path, look_at_entry, rules);
}

/* The rest of the line, also in quotes; %h is the host's name, and a relative path begins where the file lies. */
static void find_path(char *path, size_t size, const struct rules *rules, const char *rest)
{
	char host[256] = "";
	size_t len = 0;
	bool is_quoted;

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	rest += strspn(rest, " \t");
	is_quoted = *rest == '"';
	rest += is_quoted;
	if (*rest != '/')
		len = (size_t)snprintf(path, size, "%.*s", (int)(strrchr(rules->path, '/') + 1 - rules->path), rules->path);
	if (len >= size)
		len = 0;
	while (*rest && !strchr(is_quoted ? "\"" : " \t", *rest) && len + sizeof(host) < size) {
		if (text_has_prefix(rest, "%h")) {
			len += (size_t)snprintf(path + len, size - len, "%s", host);
			rest += 2;
			continue;
		}
		rest += *rest == '\\' && rest[1];
		path[len++] = *rest++;
	}
	path[len] = '\0';
}

/* @include FILE, @includedir DIRECTORY, and the older forms with "#". True where it was one. */
static bool follow(struct rules *rules, const char *rule)
{
	static const char include[] = "include", includedir[] = "includedir";
	char path[1024];
	size_t len = strcspn(rule + 1, " \t");

	if (*rule != '@' && *rule != '#')
		return false;
	if (len == strlen(includedir) && strncmp(rule + 1, includedir, len) == 0) {
		find_path(path, sizeof(path), rules, rule + 1 + len);
		look_at_directory(rules, path);
	} else if (len == strlen(include) && strncmp(rule + 1, include, len) == 0) {
		find_path(path, sizeof(path), rules, rule + 1 + len);
		look_at_sudoers(rules, path);
	} else {
		return false;
	}
	return true;
}

static void look_at_sudo(struct rules *rules, char *rule)
{
	char *equals = strchr(rule, '=');
	size_t first = strcspn(rule, " \t=");

	if (follow(rules, rule) || (*rule == '#' && !(rule[1] >= '0' && rule[1] <= '9')) || text_has_prefix(rule, "Defaults") || !equals)
		return;
	if (rules->is_collecting) {
		if (text_has_prefix(rule, "User_Alias"))
			collect(rules, rule + strlen("User_Alias"));
		return;
	}
	if (first > strlen("_Alias") && strncmp(rule + first - strlen("_Alias"), "_Alias", strlen("_Alias")) == 0)
		return;
	/* USERS HOSTS = …: the hosts are the last word before the sign. */
	while (equals > rule && (equals[-1] == ' ' || equals[-1] == '\t'))
		equals--;
	while (equals > rule && equals[-1] != ' ' && equals[-1] != '\t')
		equals--;
	*equals = '\0';
	if (is_any_meant(rules, rule))
		found(rules, "sudo");
}

static void look_at_sudoers(struct rules *rules, const char *path)
{
	const char *including = rules->path;
	char *text;

	if (strv_contains(&rules->seen, path))
		return;
	strv_add(&rules->seen, path);
	rules->path = path;
	text = check_read(rules->check, path);
	each_rule(rules, text, look_at_sudo);
	free(text);
	rules->path = including;
}

/* The directory counts also where the file, which a package brings, does not name it. */
static void look_at_all_sudoers(struct rules *rules)
{
	strv_release(&rules->seen);
	look_at_sudoers(rules, "/etc/sudoers");
	look_at_directory(rules, "/etc/sudoers.d");
}

/* --- doas ------------------------------------------------------------------------------ */

/* permit [nopass] [nolog] [persist] [keepenv] [setenv { … }] IDENTITY …, an identity being a user, or a group behind a colon. */
static void look_at_doas(struct rules *rules, char *rule)
{
	const struct account *account = &rules->check->decision.account;
	char *save = NULL, *word = strtok_r(rule, " \t", &save), number[16];
	bool is_in_braces = false;

	if (!word || strcmp(word, "permit") != 0)
		return;
	while ((word = strtok_r(NULL, " \t", &save))) {
		bool is_option = strcmp(word, "nopass") == 0 || strcmp(word, "nolog") == 0 || strcmp(word, "persist") == 0 || strcmp(word, "keepenv") == 0 ||
				 strcmp(word, "setenv") == 0;

		if (strchr(word, '{'))
			is_in_braces = true;
		else if (!is_in_braces && !is_option)
			break;
		if (strchr(word, '}'))
			is_in_braces = false;
	}
	if (!word)
		return;
	snprintf(number, sizeof(number), "%u", account->uid);
	if (strcmp(word, account->name) == 0 || strcmp(word, number) == 0)
		found(rules, "doas");
	for (size_t i = 0; word[0] == ':' && i < account->groups.len; i++) {
		snprintf(number, sizeof(number), "%u", account->gids[i]);
		if (strcmp(word + 1, account->groups.items[i]) == 0 || strcmp(word + 1, number) == 0)
			found(rules, "doas");
	}
}

void check_sudo(struct check *check)
{
	struct rules rules = { .check = check, .path = "/etc/doas.conf", .aliases = STRV_INIT, .is_collecting = true, .seen = STRV_INIT };
	char *text = check_read(check, rules.path);
	size_t known;

	each_rule(&rules, text, look_at_doas);
	free(text);
	do {
		known = rules.aliases.len;
		look_at_all_sudoers(&rules);
	} while (rules.aliases.len > known);
	rules.is_collecting = false;
	look_at_all_sudoers(&rules);
	strv_release(&rules.aliases);
	strv_release(&rules.seen);
}

/* SPDX-License-Identifier: ISC */
/* Finds rules that cannot match, and programs that cannot work inside. */
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "rules.h"
#include "words.h"

static bool is_literal(const char *word)
{
	return !strpbrk(word, "*?[\\");
}

static bool word_covers(const char *first, const char *second)
{
	if (strcmp(first, "*") == 0 || strcmp(first, second) == 0)
		return true;
	return is_literal(second) && fnmatch(first, second, 0) == 0;
}

static bool takes_rest(const struct strv *pattern)
{
	return pattern->len > 0 && strcmp(pattern->items[pattern->len - 1], "...") == 0;
}

bool check_rule_covers(const struct strv *first, const struct strv *second)
{
	size_t first_len = first->len - takes_rest(first), second_len = second->len - takes_rest(second);

	if (takes_rest(first) ? first_len > second_len : first_len != second_len || takes_rest(second))
		return false;
	for (size_t i = 0; i < first_len; i++)
		if (!word_covers(first->items[i], second->items[i]))
			return false;
	return true;
}

static void add(struct check *check, enum check_id id, const char *section, const struct profile_entry *rule, const char *what)
{
	char where[512], file[512];

	snprintf(where, sizeof(where), "%s:%u: [%s] %s", rule->file, rule->line, section, rule->name);
	check_cure(check_add(check, id, where, "%s", what), "sed -i '%us/^/#/' %s", rule->line, check_quote(file, sizeof(file), rule->file));
}

/* A profile of thousands of rules is not compared to its end. */
#define COMPARISONS_MAX 2000000

static void find_shadow(struct check *check, const struct profile_entries *over, const char *over_section, size_t until,
	const struct profile_entry *rule, const char *section)
{
	char what[512];

	for (size_t i = 0; i < over->len && i < until && check->comparisons < COMPARISONS_MAX; i++, check->comparisons++) {
		if (!check_rule_covers(&over->items[i].words, &rule->words))
			continue;
		snprintf(what, sizeof(what), "can never match: what it allows is taken by [%s] %.200s before", over_section, over->items[i].name);
		add(check, CHECK_RULE_SHADOWED, section, rule, what);
		return;
	}
}

static void find_shadows(struct check *check)
{
	const struct profile *profile = &check->profile;

	for (size_t i = 0; i < profile->allow.len; i++) {
		size_t before = check->len;

		find_shadow(check, &profile->deny, "deny", profile->deny.len, &profile->allow.items[i], "allow");
		if (check->len == before)
			find_shadow(check, &profile->allow, "allow", i, &profile->allow.items[i], "allow");
	}
	for (size_t i = 0; i < profile->deny.len; i++)
		find_shadow(check, &profile->deny, "deny", i, &profile->deny.items[i], "deny");
}

/* The file that a word runs by the profile's path: its mode, 0 where there is none. */
static mode_t mode_of(const struct check *check, const char *word, char *path, size_t size)
{
	const char *directory = check->profile.path;
	struct stat st;

	if (strchr(word, '/'))
		directory = "";
	for (;;) {
		size_t len = strcspn(directory, ":");

		snprintf(path, size, "%.*s%s%s", (int)len, directory, *directory ? "/" : "", word);
		if (fstatat(check->root_fd, path + strspn(path, "/"), &st, 0) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111))
			return st.st_mode;
		if (!directory[len])
			return 0;
		directory += len + 1;
	}
}

static void find_program(struct check *check, const char *section, const struct profile_entry *rule, const struct strv *words)
{
	char path[512], what[700];
	mode_t mode;

	/* What stands in the workspace comes and goes. */
	if (words->len == 0 || !is_literal(words->items[0]) || (words->items[0][0] != '/' && strchr(words->items[0], '/')))
		return;
	mode = mode_of(check, words->items[0], path, sizeof(path));
	if (mode & (S_ISUID | S_ISGID)) {
		snprintf(what, sizeof(what), "%s is setuid or setgid, and inside nothing gains a privilege: it runs and fails", path);
		add(check, CHECK_RULE_SETUID, section, rule, what);
	} else if (mode == 0 && strcmp(section, "allow") == 0 && strcmp(words->items[0], RULES_NOTHING) != 0) {
		snprintf(what, sizeof(what), "%.200s is no program on this host by [env] path: what the rule allows fails", words->items[0]);
		add(check, CHECK_RULE_ABSENT, section, rule, what);
	}
}

void check_rules(struct check *check)
{
	const struct profile *profile = &check->profile;

	find_shadows(check);
	for (size_t i = 0; i < profile->allow.len; i++)
		find_program(check, "allow", &profile->allow.items[i], &profile->allow.items[i].words);
	for (size_t i = 0; i < profile->menu.len; i++) {
		_cleanup_strv_ struct strv words = STRV_INIT;
		struct err ignored;

		if (words_split(profile->menu.items[i].text, WORDS_LIST, &words, &ignored) == 0)
			find_program(check, "menu", &profile->menu.items[i], &words);
	}
}

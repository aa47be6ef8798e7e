/* SPDX-License-Identifier: ISC */
/* Owns which command a profile lets through, and as which words it runs. */
#include "rules.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "words.h"

void verdict_release(struct verdict *verdict)
{
	strv_release(&verdict->argv);
}

static void refuse(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void refuse(struct verdict *verdict, const char *format, ...)
{
	va_list args;

	verdict->is_allowed = false;
	va_start(args, format);
	vsnprintf(verdict->sentence, sizeof(verdict->sentence), format, args);
	va_end(args);
}

/* Each pattern word is a glob against one command word; a last "..." takes the rest, also none. */
static bool has_match(const struct strv *pattern, const struct strv *words)
{
	size_t i;

	for (i = 0; i < pattern->len; i++) {
		if (i + 1 == pattern->len && strcmp(pattern->items[i], "...") == 0)
			return i <= words->len;
		if (i >= words->len || fnmatch(pattern->items[i], words->items[i], 0) != 0)
			return false;
	}
	return i == words->len;
}

static const struct profile_entry *matching(const struct profile_entries *rules, const struct strv *words)
{
	for (size_t i = 0; i < rules->len; i++)
		if (has_match(&rules->items[i].words, words))
			return &rules->items[i];
	return NULL;
}

static void add_once(char *list, size_t size, const char *word)
{
	size_t len = strlen(list), word_len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += word_len)
		if ((at == list || at[-1] == ' ') && (at[word_len] == ',' || !at[word_len]))
			return;
	snprintf(list + len, size - len, "%s%s", len ? ", " : "", word);
}

/* The first words of what would be allowed: make, rsync, sftp. */
static void list_allowed(const struct profile *profile, char *list, size_t size)
{
	list[0] = '\0';
	for (size_t i = 0; i < profile->menu.len; i++)
		add_once(list, size, profile->menu.items[i].name);
	for (size_t i = 0; i < profile->allow.len; i++)
		if (strcmp(profile->allow.items[i].words.items[0], RULES_NOTHING) != 0)
			add_once(list, size, profile->allow.items[i].words.items[0]);
	if (profile->sftp != SFTP_NO)
		add_once(list, size, "sftp");
	if (profile->interactive == INTERACTIVE_YES)
		add_once(list, size, "a login");
}

static void refuse_command(struct verdict *verdict, const struct profile *profile, const char *command)
{
	char allowed[512], shown[128];

	list_allowed(profile, allowed, sizeof(allowed));
	text_escape(shown, sizeof(shown), command, strlen(command));
	refuse(verdict, "\"%s\" is not among this account's commands: %s", shown, allowed[0] ? allowed : "none");
}

static void decide_sftp(struct verdict *verdict, const struct profile *profile)
{
	if (profile->sftp == SFTP_NO) {
		refuse(verdict, "sftp is not allowed on this account");
		return;
	}
	strv_add(&verdict->argv, profile->tool_sftp_server);
	strv_add_all(&verdict->argv, (const char *const[]){ "-e", "-l", "INFO", NULL });
	if (profile->sftp == SFTP_READ)
		strv_add(&verdict->argv, "-R");
	verdict->is_allowed = true;
}

static void decide_shell(struct verdict *verdict, const struct profile *profile)
{
	const char *base = strrchr(profile->login_shell, '/') + 1;

	if (profile->interactive != INTERACTIVE_YES) {
		char allowed[512];

		list_allowed(profile, allowed, sizeof(allowed));
		refuse(verdict, "a login without a command is not allowed on this account; its commands are: %s", allowed[0] ? allowed : "none");
		return;
	}
	strv_add(&verdict->argv, profile->login_shell);
	/* The shells known to take it; others read commands from standard input as they are. */
	if (strcmp(base, "bash") == 0 || strcmp(base, "zsh") == 0 || strcmp(base, "ksh") == 0 || strcmp(base, "fish") == 0 ||
		strcmp(base, "sh") == 0 || strcmp(base, "dash") == 0)
		strv_add(&verdict->argv, "-l");
	verdict->is_allowed = true;
}

static void decide_text(struct verdict *verdict, const struct profile *profile, const char *text)
{
	strv_add(&verdict->argv, profile->shell);
	strv_add(&verdict->argv, "-c");
	strv_add(&verdict->argv, text);
	verdict->is_allowed = true;
}

static bool decide_menu(struct verdict *verdict, const struct profile *profile, const char *text)
{
	for (size_t i = 0; i < profile->menu.len; i++) {
		const struct profile_entry *entry = &profile->menu.items[i];

		if (strcmp(entry->name, text) != 0)
			continue;
		verdict->kind = REQUEST_MENU;
		verdict->rule = entry;
		verdict->section = "menu";
		strv_add(&verdict->argv, strcmp(profile->shell, "none") == 0 ? "/bin/sh" : profile->shell);
		strv_add(&verdict->argv, "-c");
		strv_add(&verdict->argv, entry->text);
		verdict->is_allowed = true;
		return true;
	}
	return false;
}

static int decide_words(struct verdict *verdict, const struct profile *profile, const char *text, struct err *err)
{
	int r = words_split(text, WORDS_COMMAND, &verdict->argv, err);

	if (r == -ENOMEM)
		return r;
	if (r || verdict->argv.len == 0) {
		refuse(verdict, "%s: this account's commands run without a shell", r ? err->text : "an empty command");
		return 0;
	}
	if (!profile_has_rules(profile)) {
		verdict->is_allowed = true;
		return 0;
	}
	verdict->rule = matching(&profile->deny, &verdict->argv);
	verdict->section = "deny";
	if (verdict->rule) {
		refuse(verdict, "\"%s\" is denied on this account by the rule \"%s\"", verdict->argv.items[0], verdict->rule->name);
		return 0;
	}
	verdict->rule = matching(&profile->allow, &verdict->argv);
	verdict->section = "allow";
	verdict->is_allowed = verdict->rule != NULL;
	if (!verdict->is_allowed)
		refuse_command(verdict, profile, verdict->argv.items[0]);
	return 0;
}

int rules_decide(struct verdict *verdict, const struct profile *profile, const struct request *request, struct err *err)
{
	int r = 0;

	*verdict = (struct verdict){ .kind = request->kind, .argv = STRV_INIT };
	switch (request->kind) {
	case REQUEST_SFTP:
		decide_sftp(verdict, profile);
		break;
	case REQUEST_SHELL:
		decide_shell(verdict, profile);
		break;
	case REQUEST_EXEC:
	case REQUEST_MENU:
		if (decide_menu(verdict, profile, request->text))
			break;
		if (profile_has_rules(profile) || strcmp(profile->shell, "none") == 0)
			r = decide_words(verdict, profile, request->text, err);
		else
			decide_text(verdict, profile, request->text);
		break;
	case REQUEST_HOOK:
		refuse(verdict, "the session hook runs no command");
		break;
	}
	if (!verdict->is_allowed)
		strv_release(&verdict->argv);
	return r ? r : strv_finish(&verdict->argv, err);
}

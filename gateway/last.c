/* SPDX-License-Identifier: ISC */
/* Owns the list of what ran. journalctl(1) owns the journal; everything shown is escaped. */
#include "last.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "journal.h"
#include "text.h"

#define RECORDS_DEFAULT "1000"

struct last {
	const char *user, *actor, *lines;
	bool is_by_actor;
};

struct total {
	char actor[256];
	unsigned long runs, refusals;
	double secs, cpu;
};

struct totals {
	struct total *items;
	size_t len;
};

static void show(const char *text, int width)
{
	char out[4096];

	printf("%-*s ", width, text_show(out, sizeof(out), text));
}

static void show_word(const char *message, const char *key, int width)
{
	char word[2100];

	journal_word(message, key, word, sizeof(word));
	show(word[0] ? word : "-", width);
}

static uid_t uid_of(const char *message)
{
	char user[256];
	const struct passwd *entry;

	journal_word(message, "user", user, sizeof(user));
	entry = user[0] && user[0] != '-' ? getpwnam(user) : NULL;
	return entry ? entry->pw_uid : (uid_t)-1;
}

/* Sessions whose start was believed, and as whom: an sftp record names no account. */
struct started {
	char session[16];
	uid_t uid;
};

struct sessions {
	struct started *items;
	size_t len;
};

static void note_start(struct sessions *sessions, const struct journal_entry *entry)
{
	struct started *items = reallocarray(sessions->items, sessions->len + 1, sizeof(*items));

	if (!items)
		return;
	sessions->items = items;
	journal_word(entry->message, "session", items[sessions->len].session, sizeof(items[0].session));
	items[sessions->len++].uid = entry->uid;
}

static bool has_started(const struct sessions *sessions, const struct journal_entry *entry)
{
	char session[16];

	journal_word(entry->message, "session", session, sizeof(session));
	for (size_t i = sessions->len; i-- > 0;)
		if (strcmp(sessions->items[i].session, session) == 0)
			return sessions->items[i].uid == entry->uid;
	return false;
}

/* A start that lies before the records that were asked for leaves its sftp records unverified. */
static bool is_believed(struct sessions *sessions, const struct journal_entry *entry)
{
	if (text_has_prefix(entry->message, "sftp "))
		return journal_is_believed(entry, entry->uid, STOCKADE_GATEWAY) && has_started(sessions, entry);
	if (!journal_is_believed(entry, uid_of(entry->message), STOCKADE_GATEWAY))
		return false;
	if (text_has_prefix(entry->message, "start "))
		note_start(sessions, entry);
	return true;
}

static bool is_wanted(const struct last *last, const char *message)
{
	char word[256];

	if (last->user && (!journal_word(message, "user", word, sizeof(word)) || strcmp(word, last->user) != 0))
		return false;
	return !last->actor || (journal_word(message, "actor", word, sizeof(word)) && strcmp(word, last->actor) == 0);
}

static struct total *total_of(struct totals *totals, const char *actor)
{
	struct total *items;

	for (size_t i = 0; i < totals->len; i++)
		if (strcmp(totals->items[i].actor, actor) == 0)
			return &totals->items[i];
	items = reallocarray(totals->items, totals->len + 1, sizeof(*items));
	if (!items)
		return NULL;
	totals->items = items;
	items[totals->len] = (struct total){ .runs = 0 };
	snprintf(items[totals->len].actor, sizeof(items[0].actor), "%s", actor);
	return &items[totals->len++];
}

/* Only what is believed counts. */
static void add_up(struct totals *totals, const char *message)
{
	char actor[256], number[32];
	struct total *total;

	if (!journal_word(message, "actor", actor, sizeof(actor)))
		return;
	total = total_of(totals, actor);
	if (!total)
		return;
	total->refusals += text_has_prefix(message, "refuse ");
	if (!text_has_prefix(message, "end "))
		return;
	total->runs++;
	if (journal_word(message, "secs", number, sizeof(number)))
		total->secs += strtod(number, NULL);
	if (journal_word(message, "cpu", number, sizeof(number)))
		total->cpu += strtod(number, NULL);
}

static void show_entry(const struct journal_entry *entry, bool is_believed_entry)
{
	time_t seconds = (time_t)(entry->time / 1000000);
	char when[32] = "-", event[16];
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%m-%d %H:%M:%S", &tm);
	snprintf(event, sizeof(event), "%.*s", (int)strcspn(entry->message, " "), entry->message);
	printf("%s ", when);
	show(event, 6);
	if (!is_believed_entry) {
		printf("UNVERIFIED ");
		show(entry->message, 0);
		putchar('\n');
		return;
	}
	show_word(entry->message, "session", 9);
	show_word(entry->message, "user", 10);
	show_word(entry->message, "actor", 8);
	if (text_has_prefix(entry->message, "end ")) {
		show_word(entry->message, "by", 10);
		show_word(entry->message, "exit", 4);
		show_word(entry->message, "secs", 8);
		show_word(entry->message, "cpu", 8);
		show_word(entry->message, "peak", 0);
	} else if (text_has_prefix(entry->message, "refuse ")) {
		show_word(entry->message, "reason", 10);
		show_word(entry->message, "detail", 0);
	} else if (text_has_prefix(entry->message, "sftp ")) {
		show_word(entry->message, "op", 10);
		show_word(entry->message, "bytes", 8);
		show_word(entry->message, "path", 0);
	} else {
		show_word(entry->message, "from", 22);
		show_word(entry->message, "grade", 7);
		show_word(entry->message, "kind", 5);
		show_word(entry->message, "cmd", 0);
	}
	putchar('\n');
}

static int read_journal(const struct last *last, FILE *journal)
{
	struct totals totals = { NULL, 0 };
	struct sessions sessions = { NULL, 0 };
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, journal) > 0) {
		struct journal_entry entry;
		bool is_ours;

		if (!journal_parse(&entry, line))
			continue;
		is_ours = is_believed(&sessions, &entry);
		if (!is_wanted(last, entry.message))
			continue;
		if (!last->is_by_actor)
			show_entry(&entry, is_ours);
		else if (is_ours)
			add_up(&totals, entry.message);
	}
	free(line);
	if (last->is_by_actor)
		printf("%-20s %8s %8s %12s %12s\n", "ACTOR", "RUNS", "REFUSED", "SECONDS", "CPU");
	for (size_t i = 0; i < totals.len; i++) {
		show(totals.items[i].actor, 20);
		printf("%8lu %8lu %12.2f %12.2f\n", totals.items[i].runs, totals.items[i].refusals, totals.items[i].secs, totals.items[i].cpu);
	}
	free(totals.items);
	free(sessions.items);
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: stockade last [-n RECORDS] [--user USER] [--actor NAME] [--by actor]\n");
	return 2;
}

int last_main(int argc, char *argv[])
{
	struct last last = { .lines = RECORDS_DEFAULT };
	char command[160];
	uint64_t number;
	FILE *journal;
	int status;

	for (int i = 1; i < argc; i++) {
		if (i + 1 >= argc)
			return usage();
		if (strcmp(argv[i], "-n") == 0)
			last.lines = argv[++i];
		else if (strcmp(argv[i], "--user") == 0)
			last.user = argv[++i];
		else if (strcmp(argv[i], "--actor") == 0)
			last.actor = argv[++i];
		else if (strcmp(argv[i], "--by") == 0 && strcmp(argv[++i], "actor") == 0)
			last.is_by_actor = true;
		else
			return usage();
	}
	if (text_number(last.lines, 10000000, &number))
		return usage();
	snprintf(command, sizeof(command), "exec /usr/bin/journalctl -q -t stockade -o json --no-pager -n %llu", (unsigned long long)number);
	journal = popen(command, "re");
	if (!journal) {
		perror("stockade: journalctl");
		return 1;
	}
	read_journal(&last, journal);
	status = pclose(journal);
	if (status)
		fprintf(stderr, "stockade: journalctl ended with status %d\n", status);
	return status ? 1 : 0;
}

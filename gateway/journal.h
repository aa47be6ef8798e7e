/* SPDX-License-Identifier: ISC */
/*
 * Records read back: the journal's JSON lines (journalctl -o json), and the words of a record. A line is believed
 * where the journal itself says (its fields with an underscore) that the gateway's own program sent it, as root or as
 * the account it speaks of; the text alone can be written by anybody with logger(1).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct journal_entry {
	char message[4096];
	char exe[256];
	uid_t uid;            /* (uid_t)-1 where the journal has none */
	long long time;       /* microseconds since the epoch */
};

/* False for a line that is no such JSON object. */
bool journal_parse(struct journal_entry *entry, const char *line);

/* The value of key in a record, unquoted; false where there is none. */
bool journal_word(const char *message, const char *key, char *out, size_t size);

/* account_uid: of the record's user=; (uid_t)-1 where there is no such user. gateway: the program's path. */
bool journal_is_believed(const struct journal_entry *entry, uid_t account_uid, const char *gateway);

/* SPDX-License-Identifier: ISC */
/* Owns what is believed of the journal; reads nothing itself. */
#include "journal.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

static const char *text_of(struct json_object *object, const char *key)
{
	struct json_object *value;

	/* A field that the journal holds twice, or as bytes, is an array: nothing of ours. */
	if (!json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

bool journal_parse(struct journal_entry *entry, const char *line)
{
	struct json_object *object = json_tokener_parse(line);
	const char *message = NULL, *exe, *uid, *stamp;
	uint64_t number;

	*entry = (struct journal_entry){ .uid = (uid_t)-1 };
	if (object && json_object_is_type(object, json_type_object)) {
		message = text_of(object, "MESSAGE");
		exe = text_of(object, "_EXE");
		uid = text_of(object, "_UID");
		stamp = text_of(object, "__REALTIME_TIMESTAMP");
		snprintf(entry->message, sizeof(entry->message), "%s", message ? message : "");
		snprintf(entry->exe, sizeof(entry->exe), "%s", exe ? exe : "");
		if (uid && text_number(uid, UINT_MAX - 1, &number) == 0)
			entry->uid = (uid_t)number;
		if (stamp && text_number(stamp, INT64_MAX, &number) == 0)
			entry->time = (long long)number;
	}
	json_object_put(object);
	return message != NULL;
}

bool journal_word(const char *message, const char *key, char *out, size_t size)
{
	size_t key_len = strlen(key);
	bool is_quoted = false;

	/* Words are told apart outside quotes only: a quoted value may hold " key=". */
	for (const char *at = message; *at; at++) {
		if (*at == '"')
			is_quoted = !is_quoted;
		if (is_quoted || *at != ' ' || strncmp(at + 1, key, key_len) != 0 || at[1 + key_len] != '=')
			continue;
		at += key_len + 2;
		if (*at == '"')
			snprintf(out, size, "%.*s", (int)strcspn(at + 1, "\""), at + 1);
		else
			snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
		return true;
	}
	if (size)
		out[0] = '\0';
	return false;
}

bool journal_is_believed(const struct journal_entry *entry, uid_t account_uid, const char *gateway)
{
	if (entry->uid == (uid_t)-1 || strcmp(entry->exe, gateway) != 0)
		return false;
	return entry->uid == 0 || (account_uid != (uid_t)-1 && entry->uid == account_uid);
}

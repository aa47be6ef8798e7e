/* SPDX-License-Identifier: ISC */
/* Owns the form of a record; never sends one. */
#include "record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* Room for the last word, ' cmd_sha256=' and 64 digits, is kept free of other words. */
#define DIGEST_ROOM 80

void record_begin(struct record *record, const char *event)
{
	record->len = (size_t)snprintf(record->text, sizeof(record->text), "%s", event);
}

/* The note was written by the account's own gateway, and what it wrote is words of a record already. */
void record_begin_lost(struct record *record, const char *note)
{
	char escaped[RECORD_MAX / 2];

	text_escape(escaped, sizeof(escaped), note, strcspn(note, "\n"));
	record->len = (size_t)snprintf(record->text, sizeof(record->text), "end %s by=lost exit=- signal=-", escaped);
}

static bool has_to_be_quoted(const char *value)
{
	return !*value || strpbrk(value, " \t\"'=\\") != NULL;
}

/* Escapes at most room bytes' worth; a quote inside is written as a byte, so that a reader needs one rule. */
static size_t put_escaped(char *out, size_t room, const char *value)
{
	size_t len = 0;

	while (*value) {
		size_t plain = strcspn(value, "\"");
		char piece[RECORD_MAX + 1];
		size_t taken = text_escape(piece, sizeof(piece), value, plain);
		size_t piece_len = strlen(piece);

		if (len + piece_len >= room) {
			text_escape(piece, room - len, value, plain);
			piece_len = strlen(piece);
			memcpy(out + len, piece, piece_len + 1);
			return len + piece_len;
		}
		memcpy(out + len, piece, piece_len);
		len += piece_len;
		if (taken < plain)
			break;
		value += plain;
		if (*value == '"') {
			if (len + 4 >= room)
				break;
			memcpy(out + len, "\\x22", 4);
			len += 4;
			value++;
		}
	}
	out[len] = '\0';
	return len;
}

static void add(struct record *record, const char *key, const char *value, size_t limit)
{
	bool is_quoted = has_to_be_quoted(value);
	size_t head = strlen(key) + 2 + (is_quoted ? 2 : 0);

	if (record->len + head >= limit)
		return;
	record->len += (size_t)sprintf(record->text + record->len, " %s=%s", key, is_quoted ? "\"" : "");
	record->len += put_escaped(record->text + record->len, limit - record->len - (is_quoted ? 1 : 0), value);
	if (is_quoted)
		record->text[record->len++] = '"';
	record->text[record->len] = '\0';
}

void record_add(struct record *record, const char *key, const char *value)
{
	add(record, key, value && *value ? value : "-", RECORD_MAX - DIGEST_ROOM);
}

void record_addf(struct record *record, const char *key, const char *format, ...)
{
	char value[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	record_add(record, key, value);
}

bool record_cuts(const struct record *record, const char *command)
{
	/* The longest form of a byte is \xNN. */
	size_t worst = 0;

	for (const char *at = command; *at; at++) {
		worst += *at >= ' ' && *at < 0x7f && *at != '\\' && *at != '"' ? 1 : 4;
		if (worst > RECORD_MAX)
			break;
	}
	return record->len + strlen(" cmd=\"\"") + worst > RECORD_MAX - DIGEST_ROOM;
}

void record_add_command(struct record *record, const char *command, const char *sha256_hex)
{
	if (sha256_hex)
		add(record, "cmd_sha256", sha256_hex, RECORD_MAX);
	add(record, "cmd", command, RECORD_MAX);
}

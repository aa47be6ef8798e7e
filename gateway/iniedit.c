/* SPDX-License-Identifier: ISC */
/* Owns changing one key of an INI text, line by line; never reads or writes a file. */
#include "iniedit.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_section(const char *line, size_t len, const char *section)
{
	while (len && isblank((unsigned char)*line))
		line++, len--;
	return len >= strlen(section) + 2 && line[0] == '[' && strncmp(line + 1, section, strlen(section)) == 0 &&
		line[1 + strlen(section)] == ']';
}

static bool is_header(const char *line, size_t len)
{
	while (len && isblank((unsigned char)*line))
		line++, len--;
	return len && *line == '[';
}

static bool is_key(const char *line, size_t len, const char *key)
{
	size_t key_len = strlen(key);

	while (len && isblank((unsigned char)*line))
		line++, len--;
	if (len <= key_len || strncmp(line, key, key_len) != 0)
		return false;
	for (line += key_len, len -= key_len; len && isblank((unsigned char)*line); line++)
		len--;
	return len && *line == '=';
}

static void put_key(FILE *out, const char *key, const char *value)
{
	bool is_quoted = strpbrk(value, ";#") != NULL || isblank((unsigned char)value[0]) || isblank((unsigned char)value[strlen(value) - 1]);

	fprintf(out, "%s = %s%s%s\n", key, is_quoted ? "\"" : "", value, is_quoted ? "\"" : "");
}

static bool is_writable_value(const char *value)
{
	for (const char *at = value; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f || *at == '"' || *at == '\'' || *at == '\\')
			return false;
	return *value && strlen(value) < 900;
}

static void edit(FILE *out, const char *text, const char *section, const char *key, const char *value)
{
	bool is_inside = false, is_done = value == NULL;

	while (*text) {
		size_t len = strcspn(text, "\n"), whole = len + (text[len] == '\n');
		bool is_dropped = is_inside && is_key(text, len, key);

		if (is_header(text, len))
			is_inside = is_section(text, len, section);
		if (!is_dropped) {
			fwrite(text, 1, len, out);
			fputc('\n', out);
		}
		if (!is_done && is_inside && is_header(text, len)) {
			put_key(out, key, value);
			is_done = true;
		}
		text += whole;
	}
	if (!is_done) {
		fprintf(out, "[%s]\n", section);
		put_key(out, key, value);
	}
}

char *iniedit_set(const char *text, const char *section, const char *key, const char *value, struct err *err)
{
	char *result = NULL;
	size_t size;
	FILE *out;

	if (value && !is_writable_value(value)) {
		err_set(err, EINVAL, "%s: cannot be written: a control character, a quote or a backslash is in it, or it is too long", key);
		return NULL;
	}
	out = open_memstream(&result, &size);
	if (!out) {
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	edit(out, text, section, key, value);
	if (fclose(out)) {
		free(result);
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	return result;
}

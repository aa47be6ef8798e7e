/* SPDX-License-Identifier: ISC */
/* Owns the form of sftp-server's log lines. A path may hold quotes: it ends at the last one that fits. */
#include "sftplog.h"

#include <stdio.h>
#include <string.h>

#include "text.h"

struct form {
	const char *begin; /* up to the first quote, this one included */
	const char *between; /* of two paths; NULL for one */
	const char *op;
};

static const struct form forms[] = {
	{ "open \"", NULL, "open" },
	{ "close \"", NULL, "close" },
	{ "remove name \"", NULL, "remove" },
	{ "mkdir name \"", NULL, "mkdir" },
	{ "rmdir name \"", NULL, "rmdir" },
	{ "rename old \"", "\" new \"", "rename" },
	{ "posix-rename old \"", "\" new \"", "rename" },
	{ "hardlink old \"", "\" new \"", "link" },
	{ "symlink old \"", "\" new \"", "symlink" },
};

static const char *last_quote(const char *text)
{
	return strrchr(text, '"');
}

static void copy(char *out, size_t size, const char *begin, const char *end)
{
	snprintf(out, size, "%.*s", (int)(end - begin), begin);
}

bool sftplog_parse(struct sftplog_line *line, const char *text)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const char *path = text + strlen(forms[i].begin), *end, *between = NULL;

		if (!text_has_prefix(text, forms[i].begin))
			continue;
		end = last_quote(path);
		if (forms[i].between)
			between = strstr(path, forms[i].between);
		if (!end || (forms[i].between && !between))
			return false;
		*line = (struct sftplog_line){ .op = forms[i].op };
		copy(line->path, sizeof(line->path), path, between ? between : end);
		if (between)
			copy(line->to, sizeof(line->to), between + strlen(forms[i].between), end);
		else
			sscanf(end + 1, " bytes read %llu written %llu", &line->read, &line->written);
		return true;
	}
	return false;
}

bool sftplog_is_chatter(const char *text)
{
	static const char *const begins[] = { "session opened for ", "session closed for ", "sent status ", "opendir \"", "closedir \"",
		"set \"", "lstat name ", "stat name ", "statvfs ", "fstatvfs ", "received client version ", "realpath ", "forced close \"",
		"sent handle ", "sent names ", "expand ", "reinit" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (text_has_prefix(text, begins[i]))
			return true;
	return false;
}

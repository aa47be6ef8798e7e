/* SPDX-License-Identifier: ISC */
/*
 * Owns iniparser: no other file learns its types.  Never decides what a key means.
 *
 *   1. scan_text()       finds the rows with their lines, refuses what iniparser would misread
 *   2. check_duplicates()
 *   3. load_dictionary() gives the same bytes to iniparser
 *   4. compare()         refuses the file where the two readings differ
 *
 * The rules are the strictest of iniparser 4.1 (Debian 12) and 4.2 (Debian 13), so that a profile
 * means the same on both.
 */
#include "ini.h"

#include <errno.h>
#include <iniparser/iniparser.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.h"
#include "text.h"

/* iniparser reads at most 1023 bytes of a line, the newline among them. */
#define LINE_ROOM (INI_LINE_MAX - 1)
#define NAME_ROOM 255 /* iniparser looks up at most 1024 bytes of "section:key" */
#define NAMES_ACCEPTED "accepted: a-z 0-9 _ and, not first, . and -, at most 255 bytes"
#define QUOTES_ACCEPTED "accepted: one pair of quotes around the whole value, without a backslash inside"

struct piece {
	const char *at;
	size_t len;
};

/* Where a sentence belongs; what is not known yet is NULL or empty. */
struct place {
	const char *name;
	unsigned line;
	const char *section;
	struct piece key;
	struct err *err;
};

struct scan {
	struct ini_rows rows;
	char *section; /* the one that is open; NULL: none yet */
	struct place place;
};

static void scan_release(struct scan *scan)
{
	ini_rows_release(&scan->rows);
	free(scan->section);
}

static void free_pointer(void *pointer)
{
	free(*(void **)pointer);
}

static void free_dictionary(dictionary **dict)
{
	if (*dict)
		iniparser_freedict(*dict);
}

#define _cleanup_scan_ __attribute__((cleanup(scan_release)))
#define _cleanup_free_ __attribute__((cleanup(free_pointer)))
#define _cleanup_close_ __attribute__((cleanup(fd_close)))
#define _cleanup_dictionary_ __attribute__((cleanup(free_dictionary)))

static void row_release(struct ini_row *row)
{
	free(row->section);
	free(row->key);
	free(row->value);
}

void ini_rows_release(struct ini_rows *rows)
{
	for (size_t i = 0; i < rows->len; i++)
		row_release(&rows->items[i]);
	free(rows->items);
	free(rows->name);
	*rows = (struct ini_rows)INI_ROWS_INIT;
}

static int out_of_memory(struct err *err)
{
	return err_set(err, ENOMEM, "out of memory");
}

/* Takes the row's strings over, also when it fails. */
static int add_row(struct ini_rows *rows, struct ini_row row, struct err *err)
{
	if (rows->len == rows->room) {
		size_t room = rows->room ? rows->room * 2 : 32;
		struct ini_row *items = reallocarray(rows->items, room, sizeof(*items));

		if (!items) {
			row_release(&row);
			return out_of_memory(err);
		}
		rows->items = items;
		rows->room = room;
	}
	rows->items[rows->len++] = row;
	return 0;
}

/* The sentence, after its place: "NAME:LINE: [section] key: SENTENCE". */
__attribute__((format(printf, 2, 3)))
static int refuse(const struct place *place, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(place->err->text, sizeof(place->err->text), format, args);
	va_end(args);
	if (place->section)
		err_prefix(place->err, "[%s] %.*s", place->section, (int)place->key.len, place->key.at);
	err_prefix(place->err, "%s:%u", place->name, place->line);
	return -EINVAL;
}

static struct place row_place(const struct ini_rows *rows, const struct ini_row *row, struct err *err)
{
	return (struct place){ rows->name, row->line, row->section, { row->key, strlen(row->key) }, err };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct piece strip(struct piece piece)
{
	while (piece.len && is_blank(piece.at[0]))
		piece = (struct piece){ piece.at + 1, piece.len - 1 };
	while (piece.len && is_blank(piece.at[piece.len - 1]))
		piece.len--;
	return piece;
}

static bool has_byte(struct piece piece, char c)
{
	return memchr(piece.at, c, piece.len) != NULL;
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_name(struct piece piece)
{
	if (!piece.len || piece.len > NAME_ROOM || !is_name_start(piece.at[0]))
		return false;
	for (size_t i = 1; i < piece.len; i++)
		if (!is_name_start(piece.at[i]) && piece.at[i] != '.' && piece.at[i] != '-')
			return false;
	return true;
}

static int check_name(const struct place *place, const char *what, struct piece name)
{
	char shown[128];

	if (is_name(name))
		return 0;
	text_escape(shown, sizeof(shown), name.at, name.len);
	for (size_t i = 0; i < name.len; i++)
		if (name.at[i] >= 'A' && name.at[i] <= 'Z')
			return refuse(place, "upper case in %s name \"%s\", " NAMES_ACCEPTED, what, shown);
	return refuse(place, "not %s name: \"%s\", " NAMES_ACCEPTED, what, shown);
}

static int check_bytes(const struct place *place, struct piece line)
{
	if (line.len && line.at[line.len - 1] == '\r')
		return refuse(place, "line ends in CRLF, accepted: a newline alone");
	if (line.len > LINE_ROOM)
		return refuse(place, "line of %zu bytes, accepted: up to %d", line.len, LINE_ROOM);
	for (size_t i = 0; i < line.len; i++) {
		unsigned char byte = (unsigned char)line.at[i];

		if ((byte < 0x20 && byte != '\t') || byte == 0x7f)
			return refuse(place, "control byte \\x%02x, accepted: text and tabs", byte);
	}
	return 0;
}

static int scan_section(struct scan *scan, struct piece line)
{
	const char *end = memchr(line.at, ']', line.len);
	int r;

	if (!end)
		return refuse(&scan->place, "no \"]\" after the section name, accepted: [section]");
	if (end + 1 != line.at + line.len)
		return refuse(&scan->place, "text after \"]\", accepted: [section] alone on its line");
	line = (struct piece){ line.at + 1, line.len - 2 };
	r = check_name(&scan->place, "a section", line);
	if (r < 0)
		return r;
	free(scan->section);
	scan->section = strndup(line.at, line.len);
	return scan->section ? 0 : out_of_memory(scan->place.err);
}

/* Narrows the text to what iniparser takes for the value, or says why that is not what is written there. */
static int scan_value(const struct place *place, struct piece *value)
{
	struct piece inner = { value->at + 1, value->len < 2 ? 0 : value->len - 2 };
	char quote = value->len ? value->at[0] : '\0';

	if (memmem(value->at, value->len, "\\\"", 2))
		return refuse(place, "\\\" in a value, " QUOTES_ACCEPTED);
	if (quote != '"' && quote != '\'') {
		if (has_byte(*value, ';') || has_byte(*value, '#'))
			return refuse(place, "\"%c\" outside quotes, " QUOTES_ACCEPTED, has_byte(*value, ';') ? ';' : '#');
		return 0;
	}
	if (!has_byte((struct piece){ value->at + 1, value->len - 1 }, quote))
		return refuse(place, "the quote is not closed, " QUOTES_ACCEPTED);
	if (value->at[value->len - 1] != quote || has_byte(inner, quote))
		return refuse(place, "the value goes on after its closing quote, " QUOTES_ACCEPTED);
	/* 4.1 keeps it, 4.2 takes it for an escape and drops it. */
	if (has_byte(inner, '\\'))
		return refuse(place, "backslash inside quotes, " QUOTES_ACCEPTED);
	*value = inner;
	return 0;
}

static int scan_key(struct scan *scan, struct piece line)
{
	const char *equals = memchr(line.at, '=', line.len);
	struct piece key, value;
	struct ini_row row;
	int r;

	if (!equals)
		return refuse(&scan->place, "no \"=\", accepted: key = value, [section], or a comment");
	key = strip((struct piece){ line.at, (size_t)(equals - line.at) });
	value = strip((struct piece){ equals + 1, line.len - (size_t)(equals - line.at) - 1 });
	r = check_name(&scan->place, "a key", key);
	if (r < 0)
		return r;
	if (!scan->section)
		return refuse(&scan->place, "%.*s: key before any section, accepted: below a [section] line",
			      (int)key.len, key.at);
	scan->place.section = scan->section;
	scan->place.key = key;
	r = scan_value(&scan->place, &value);
	if (r < 0)
		return r;
	row = (struct ini_row){ strdup(scan->section), strndup(key.at, key.len), strndup(value.at, value.len),
				scan->place.line };
	if (row.section && row.key && row.value)
		return add_row(&scan->rows, row, scan->place.err);
	row_release(&row);
	return out_of_memory(scan->place.err);
}

static int scan_line(struct scan *scan, struct piece line)
{
	int r = check_bytes(&scan->place, line);

	if (r < 0)
		return r;
	line = strip(line);
	if (!line.len)
		return 0;
	/* Before the comments: iniparser joins the next line to a comment, too. */
	if (line.at[line.len - 1] == '\\')
		return refuse(&scan->place, "backslash at the end of the line, accepted: one line for each value");
	if (line.at[0] == '#' || line.at[0] == ';')
		return 0;
	if (scan->rows.len >= INI_ROWS_MAX)
		return refuse(&scan->place, "more than %d keys", INI_ROWS_MAX);
	return line.at[0] == '[' ? scan_section(scan, line) : scan_key(scan, line);
}

static int scan_text(struct scan *scan, const char *text, size_t len)
{
	const char *end = text + len;
	struct place file = scan->place;

	if (len > INI_FILE_MAX)
		return refuse(&file, "file of %zu bytes, accepted: up to %u", len, INI_FILE_MAX);
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return refuse(&file, "file starts with a byte order mark (BOM), accepted: UTF-8 without one");
	for (unsigned line = 1; text < end; line++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;
		int r;

		scan->place = file;
		scan->place.line = line;
		r = scan_line(scan, (struct piece){ text, (size_t)(stop - text) });
		if (r < 0)
			return r;
		text = newline ? newline + 1 : end;
	}
	return 0;
}

static int by_name_then_line(const void *left, const void *right)
{
	const struct ini_row *a = *(const struct ini_row *const *)left, *b = *(const struct ini_row *const *)right;
	int order = strcmp(a->section, b->section);

	if (order == 0)
		order = strcmp(a->key, b->key);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int check_duplicates(const struct ini_rows *rows, struct err *err)
{
	_cleanup_free_ const struct ini_row **order = calloc(rows->len + 1, sizeof(struct ini_row *));
	const struct ini_row *first = NULL, *again = NULL;
	struct place place;

	if (!order)
		return out_of_memory(err);
	for (size_t i = 0; i < rows->len; i++)
		order[i] = &rows->items[i];
	qsort(order, rows->len, sizeof(*order), by_name_then_line);
	for (size_t i = 1; i < rows->len; i++) {
		const struct ini_row *a = order[i - 1], *b = order[i];

		if (strcmp(a->section, b->section) == 0 && strcmp(a->key, b->key) == 0 && (!again || b->line < again->line)) {
			first = a;
			again = b;
		}
	}
	if (!again)
		return 0;
	place = row_place(rows, again, err);
	return refuse(&place, "given twice, first on line %u, accepted: once", first->line);
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t written = write(fd, text, len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		text += written;
		len -= (size_t)written;
	}
	return 0;
}

static int discard(const char *format, ...)
{
	(void)format;
	return 0;
}

/*
 * iniparser 4.1 reads by path only, so the bytes that were scanned are shown to it as a memfd: no second read of a
 * file that could have changed.  Its complaints go to stderr, which may be a client's: they are dropped for this call.
 * *dict is NULL where it does not accept the file.
 */
static int load_dictionary(const struct ini_rows *rows, const char *text, size_t len, dictionary **dict,
			   struct err *err)
{
	_cleanup_close_ int fd = memfd_create("stockade-ini", MFD_CLOEXEC);
	char path[64];
	int r;

	if (fd < 0)
		return err_set(err, errno, "%s: memory file: %m", rows->name);
	r = write_all(fd, text, len);
	if (r < 0)
		return err_set(err, -r, "%s: memory file: %s", rows->name, strerror(-r));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (access(path, R_OK) < 0)
		return err_set(err, errno, "%s: %s: %m", rows->name, path);
	iniparser_set_error_callback(discard);
	*dict = iniparser_load(path);
	iniparser_set_error_callback(NULL);
	return 0;
}

/*
 * Every row is there with its value, and iniparser holds as many keys as there are rows: so the two sets are equal.
 * Sections without keys are not compared, since they say nothing.
 */
static int compare(const struct ini_rows *rows, const dictionary *dict, struct err *err)
{
	struct place place = { rows->name, 1, NULL, { "", 0 }, err };
	size_t keys;

	if (!dict)
		return refuse(&place, "iniparser does not accept the file");
	keys = (size_t)dict->n - (size_t)iniparser_getnsec(dict);
	if (keys != rows->len)
		return refuse(&place, "iniparser reads %zu keys here, the file holds %zu", keys, rows->len);
	for (size_t i = 0; i < rows->len; i++) {
		const struct ini_row *row = &rows->items[i];
		char name[2 * INI_LINE_MAX + 2];
		const char *value;

		snprintf(name, sizeof(name), "%s:%s", row->section, row->key);
		value = iniparser_getstring(dict, name, NULL);
		if (value && strcmp(value, row->value) == 0)
			continue;
		place = row_place(rows, row, err);
		return refuse(&place, "iniparser reads another value than is written, " QUOTES_ACCEPTED);
	}
	return 0;
}

int ini_parse(const char *name, const char *text, size_t len, struct ini_rows *rows, struct err *err)
{
	_cleanup_scan_ struct scan scan = { INI_ROWS_INIT, NULL, { name, 1, NULL, { "", 0 }, err } };
	_cleanup_dictionary_ dictionary *dict = NULL;
	int r;

	*rows = (struct ini_rows)INI_ROWS_INIT;
	scan.rows.name = strdup(name);
	if (!scan.rows.name)
		return out_of_memory(err);
	r = scan_text(&scan, text, len);
	if (r == 0)
		r = check_duplicates(&scan.rows, err);
	if (r == 0)
		r = load_dictionary(&scan.rows, text, len, &dict, err);
	if (r == 0)
		r = compare(&scan.rows, dict, err);
	if (r < 0)
		return r;
	*rows = scan.rows;
	scan.rows = (struct ini_rows)INI_ROWS_INIT;
	return 0;
}

int ini_read(const char *name, int fd, struct ini_rows *rows, struct err *err)
{
	_cleanup_free_ char *text = malloc(INI_FILE_MAX + 1);
	struct stat st;
	size_t len = 0;

	*rows = (struct ini_rows)INI_ROWS_INIT;
	if (!text)
		return out_of_memory(err);
	if (fstat(fd, &st) < 0)
		return err_set(err, errno, "%s: %m", name);
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s: not a regular file", name);
	while (len <= INI_FILE_MAX) {
		ssize_t got = pread(fd, text + len, INI_FILE_MAX + 1 - len, (off_t)len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set(err, errno, "%s: %m", name);
		if (got == 0)
			break;
		len += (size_t)got;
	}
	return ini_parse(name, text, len, rows, err);
}

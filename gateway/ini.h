/* SPDX-License-Identifier: ISC */
/*
 * Rows of an INI file, as iniparser reads them, or a refusal.  iniparser lower-cases
 * names, lets the last duplicate win, cuts values at ';' and '#', drops what follows a
 * quoted value, and keeps no line numbers; a pre-scan finds the rows with their lines,
 * refuses what iniparser would misread, and the two readings are compared.
 */
#pragma once

#include <stddef.h>

#include "err.h"

#define INI_LINE_MAX 1023        /* bytes, without the newline */
#define INI_FILE_MAX (1u << 20)  /* bytes */
#define INI_ROWS_MAX 20000

struct ini_row {
	char *section;
	char *key;
	char *value;   /* without the quotes around it; may be empty */
	unsigned line; /* 1-based */
};

struct ini_rows {
	char *name; /* for messages, e.g. "/etc/stockade/profiles/build.ini" */
	struct ini_row *items;
	size_t len;
	size_t room;
};

#define INI_ROWS_INIT { NULL, NULL, 0, 0 }
#define _cleanup_ini_rows_ __attribute__((cleanup(ini_rows_release)))

void ini_rows_release(struct ini_rows *rows);

/*
 * Reads the text (len bytes, any bytes) into rows, in the file's order.  name is copied.
 * Errors: -EINVAL with "NAME:LINE: [section] key: what is wrong, what is accepted";
 * -ENOMEM, -EMFILE and the like with their own sentence.  rows is empty on error.
 */
int ini_parse(const char *name, const char *text, size_t len, struct ini_rows *rows, struct err *err);

/* The same for an open descriptor of a regular file, read from its start; it stays open. */
int ini_read(const char *name, int fd, struct ini_rows *rows, struct err *err);

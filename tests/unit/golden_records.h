/* SPDX-License-Identifier: ISC */
/*
 * The records that serve.c writes for a decision, without a system around it: its own functions, with the log,
 * the run's note and standard error led into a text. The only test that looks inside a source file.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "session.h"

static char golden_records[8192];

static int golden_line(const char *text)
{
	size_t len = strlen(golden_records);

	snprintf(golden_records + len, sizeof(golden_records) - len, "%s\n", text);
	return 0;
}

static int golden_log(struct log *log, const char *text, struct err *err)
{
	(void)log;
	(void)err;
	return golden_line(text);
}

static int golden_note(struct session *session, const char *note)
{
	(void)session;
	(void)note;
	return 0;
}

static int golden_say(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int golden_say(int fd, const char *format, ...)
{
	char line[2048], shown[2100];
	va_list args;

	(void)fd;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	line[strcspn(line, "\n")] = '\0';
	snprintf(shown, sizeof(shown), "stderr: %s", line);
	return golden_line(shown);
}

#define log_send golden_log
#define session_note golden_note
#define dprintf golden_say
#define serve golden_serve
#include "serve.c"
#undef log_send
#undef session_note
#undef dprintf
#undef serve

/* SPDX-License-Identifier: ISC */
/* Owns how error sentences are put together; never decides what an error means. */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int errnum, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return -errnum;
}

void err_prefix(struct err *err, const char *format, ...)
{
	char rest[ERR_TEXT_SIZE];
	va_list args;
	int len;

	memcpy(rest, err->text, sizeof(rest));
	va_start(args, format);
	len = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(err->text))
		return;
	snprintf(err->text + len, sizeof(err->text) - (size_t)len, ": %s", rest);
}

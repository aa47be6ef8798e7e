/* SPDX-License-Identifier: ISC */
/* Owns string vectors; knows nothing of what the words mean. */
#include "strv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void strv_release(struct strv *strv)
{
	for (size_t i = 0; i < strv->len; i++)
		free(strv->items[i]);
	free(strv->items);
	*strv = (struct strv)STRV_INIT;
}

static bool has_room(struct strv *strv)
{
	size_t room = strv->room ? strv->room * 2 : 16;
	char **items;

	if (strv->failed)
		return false;
	if (strv->len + 2 <= strv->room)
		return true;
	items = reallocarray(strv->items, room, sizeof(*items));
	if (!items) {
		strv->failed = true;
		return false;
	}
	strv->items = items;
	strv->room = room;
	return true;
}

void strv_take(struct strv *strv, char *word)
{
	if (!word)
		strv->failed = true;
	if (!word || !has_room(strv)) {
		free(word);
		return;
	}
	strv->items[strv->len++] = word;
	strv->items[strv->len] = NULL;
}

void strv_add(struct strv *strv, const char *word)
{
	strv_take(strv, strdup(word));
}

void strv_addf(struct strv *strv, const char *format, ...)
{
	char *word = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&word, format, args) < 0)
		word = NULL;
	va_end(args);
	strv_take(strv, word);
}

void strv_add_all(struct strv *strv, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		strv_add(strv, words[i]);
}

void strv_extend(struct strv *strv, const struct strv *other)
{
	for (size_t i = 0; i < other->len; i++)
		strv_add(strv, other->items[i]);
	strv->failed |= other->failed;
}

bool strv_contains(const struct strv *strv, const char *word)
{
	for (size_t i = 0; i < strv->len; i++)
		if (strcmp(strv->items[i], word) == 0)
			return true;
	return false;
}

int strv_copy(struct strv *target, const struct strv *source)
{
	strv_release(target);
	strv_extend(target, source);
	return target->failed ? -ENOMEM : 0;
}

int strv_finish(const struct strv *strv, struct err *err)
{
	return strv->failed ? err_set(err, ENOMEM, "out of memory") : 0;
}

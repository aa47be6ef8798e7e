/* SPDX-License-Identifier: ISC */
/* A command's text: what is let through has no unquoted operator, and quoting it again changes nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Unquoted, outside any kind of quotes, by the simplest scanner that can tell. */
static int has_unquoted_operator(const char *text)
{
	char quote = 0;

	for (; *text; text++) {
		if (quote == '\'') {
			if (*text == '\'')
				quote = 0;
		} else if (*text == '\\' && text[1]) {
			text++;
		} else if (quote == '"') {
			if (*text == '"')
				quote = 0;
		} else if (*text == '\'' || *text == '"') {
			quote = *text;
		} else if (strchr(";&|<>()$`\n", *text)) {
			return 1;
		}
	}
	return 0;
}

static void check(const char *text, enum words_mode mode)
{
	struct strv words = STRV_INIT, again = STRV_INIT;
	struct err err = { "" };

	if (words_split(text, mode, &words, &err) == 0) {
		char *joined = words.len ? words_join((const char *const *)words.items) : NULL;

		if (mode == WORDS_COMMAND && has_unquoted_operator(text))
			abort();
		if (joined && (words_split(joined, WORDS_LIST, &again, &err) || again.len != words.len))
			abort();
		for (size_t i = 0; joined && i < words.len; i++)
			if (strcmp(words.items[i], again.items[i]) != 0)
				abort();
		free(joined);
	}
	strv_release(&words);
	strv_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check(text, WORDS_COMMAND);
	check(text, WORDS_LIST);
	free(text);
	return 0;
}

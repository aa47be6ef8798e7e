/* SPDX-License-Identifier: ISC */
/* Owns quoting: text to words and words to text.  Never expands anything, and never decides whether a word may run. */
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *at;
	enum words_mode mode;
	char *word; /* room for all of the text */
	size_t len;
	struct err *err;
};

static void free_char(char **text)
{
	free(*text);
}

#define _cleanup_free_ __attribute__((cleanup(free_char)))

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static int refuse_control(const struct reader *reader, char c)
{
	if (c == '\n')
		return err_set(reader->err, EINVAL, "newline in the command");
	return err_set(reader->err, EINVAL, "control byte \"\\x%02x\" in the command", (unsigned char)c);
}

/* Takes one byte of the text into the word as it is. */
static int take(struct reader *reader)
{
	char c = *reader->at++;

	if (reader->mode == WORDS_COMMAND && is_control(c))
		return refuse_control(reader, c);
	reader->word[reader->len++] = c;
	return 0;
}

/* at is on the backslash. A newline after it joins lines: both are gone (XCU 2.2.1). */
static int take_escaped(struct reader *reader)
{
	reader->at++;
	if (!*reader->at)
		return err_set(reader->err, EINVAL, "nothing after the last backslash");
	if (*reader->at == '\n' && reader->mode == WORDS_LIST) {
		reader->at++;
		return 0;
	}
	return take(reader);
}

static int take_single_quoted(struct reader *reader)
{
	reader->at++;
	while (*reader->at && *reader->at != '\'') {
		int r = take(reader);

		if (r < 0)
			return r;
	}
	if (!*reader->at)
		return err_set(reader->err, EINVAL, "no closing single quote");
	reader->at++;
	return 0;
}

/* A backslash quotes only what is special inside double quotes (XCU 2.2.3); before other bytes it is itself. */
static int take_double_quoted(struct reader *reader)
{
	reader->at++;
	while (*reader->at && *reader->at != '"') {
		char c = *reader->at;
		int r;

		if (c == '\\' && reader->at[1] && strchr("$`\"\\\n", reader->at[1]))
			r = take_escaped(reader);
		else if (reader->mode == WORDS_COMMAND && (c == '$' || c == '`'))
			r = err_set(reader->err, EINVAL, "\"%c\" inside double quotes", c);
		else
			r = take(reader);
		if (r < 0)
			return r;
	}
	if (!*reader->at)
		return err_set(reader->err, EINVAL, "no closing double quote");
	reader->at++;
	return 0;
}

static int take_unquoted(struct reader *reader)
{
	char c = *reader->at;

	if (reader->mode == WORDS_COMMAND && strchr(";&|<>()$`", c))
		return err_set(reader->err, EINVAL, "unquoted \"%c\"", c);
	return take(reader);
}

static int take_word(struct reader *reader)
{
	reader->len = 0;
	while (*reader->at && !is_blank(*reader->at)) {
		int r;

		if (*reader->at == '\\')
			r = take_escaped(reader);
		else if (*reader->at == '\'')
			r = take_single_quoted(reader);
		else if (*reader->at == '"')
			r = take_double_quoted(reader);
		else
			r = take_unquoted(reader);
		if (r < 0)
			return r;
	}
	reader->word[reader->len] = '\0';
	return 0;
}

static int skip_blanks(struct reader *reader)
{
	for (;; reader->at++) {
		/* Joined lines between words leave no word behind. */
		if (reader->mode == WORDS_LIST && reader->at[0] == '\\' && reader->at[1] == '\n')
			reader->at++;
		else if (!is_blank(*reader->at))
			return 0;
		else if (*reader->at == '\n' && reader->mode == WORDS_COMMAND)
			return err_set(reader->err, EINVAL, "unquoted newline");
	}
}

int words_split(const char *text, enum words_mode mode, struct strv *words, struct err *err)
{
	_cleanup_free_ char *word = malloc(strlen(text) + 1);
	struct reader reader = { text, mode, word, 0, err };
	size_t count = 0;
	int r;

	if (!word)
		return err_set(err, ENOMEM, "out of memory");
	for (;;) {
		r = skip_blanks(&reader);
		if (r < 0)
			return r;
		if (!*reader.at)
			return strv_finish(words, err);
		r = take_word(&reader);
		if (r < 0)
			return r;
		if (++count > WORDS_MAX)
			return err_set(err, E2BIG, "more than %d words", WORDS_MAX);
		strv_add(words, word);
	}
}

/* Words that a shell takes for its own grammar where a command may stand, in POSIX, bash or zsh. */
static bool is_reserved(const char *word)
{
	static const char *const reserved[] = {
		"case", "coproc", "declare", "do", "done", "elif", "else", "end", "esac", "export", "fi", "float", "for",
		"foreach", "function", "if", "in", "integer", "local", "nocorrect", "readonly", "repeat", "select", "then",
		"time", "typeset", "until", "while",
	};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (strcmp(word, reserved[i]) == 0)
			return true;
	return false;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("_@%+:,./-", c));
}

static bool needs_quotes(const char *word)
{
	if (!*word || is_reserved(word))
		return true;
	/* "--prefix=/usr" reads well unquoted and cannot be an assignment; "a=b" as a first word would be one. */
	for (size_t i = 0; word[i]; i++)
		if (!is_plain(word[i]) && !(word[i] == '=' && word[0] == '-'))
			return true;
	return false;
}

char *words_quote(const char *word)
{
	size_t quotes = 0, len = 0;
	char *out;

	if (!needs_quotes(word))
		return strdup(word);
	for (size_t i = 0; word[i]; i++)
		quotes += word[i] == '\'';
	out = malloc(strlen(word) + 3 * quotes + 3);
	if (!out)
		return NULL;
	out[len++] = '\'';
	for (size_t i = 0; word[i]; i++) {
		if (word[i] == '\'') {
			memcpy(out + len, "'\\'", 3);
			len += 3;
		}
		out[len++] = word[i];
	}
	out[len++] = '\'';
	out[len] = '\0';
	return out;
}

char *words_join(const char *const *words)
{
	_cleanup_strv_ struct strv quoted = STRV_INIT;
	size_t size = 1;
	char *out, *end;

	for (size_t i = 0; words[i]; i++)
		strv_take(&quoted, words_quote(words[i]));
	if (quoted.failed)
		return NULL;
	for (size_t i = 0; i < quoted.len; i++)
		size += strlen(quoted.items[i]) + 1;
	out = malloc(size);
	if (!out)
		return NULL;
	end = out;
	for (size_t i = 0; i < quoted.len; i++) {
		if (i > 0)
			*end++ = ' ';
		end = stpcpy(end, quoted.items[i]);
	}
	*end = '\0';
	return out;
}

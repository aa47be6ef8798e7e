/* SPDX-License-Identifier: ISC */
/* Owns how each type of keyword is read and shown; never looks at another keyword. */
#include "setting.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#define CPUS_MAX 10000

/* They steer the dynamic linker, libc or the chain's own helpers before the command starts. */
static const char *const guarded_variables[] = {
	"GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "PATH", "HOME", "TMPDIR", "MALLOC_CHECK_", "MALLOC_PERTURB_",
	"MALLOC_TRACE", "RES_OPTIONS", "HOSTALIASES", "LOCALDOMAIN", "RESOLV_HOST_CONF", "TZDIR", "GETCONF_DIR", "STOCKADE_SESSION",
};

struct etc_preset {
	const char *name;
	const char *entries;
};

/* What Debian's packages of the toolchain keep below /etc and read at run time. */
static const struct etc_preset etc_presets[] = {
	{ "java", "java java-8-openjdk java-11-openjdk java-17-openjdk java-21-openjdk java-25-openjdk maven ant gradle" },
	{ "tex", "texmf papersize paperspecs libpaper.d" },
	{ "perl", "perl" },
	{ "python", "python3 python3.11 python3.13 pip.conf" },
	{ "fonts", "fonts" },
	{ "ssl", "ssl ca-certificates ca-certificates.conf" },
	{ "r", "R" },
};

static void *field(struct profile *profile, const struct keyword *keyword)
{
	return (char *)profile + keyword->offset;
}

static int is_wrong(struct err *err, const struct keyword *keyword, const char *text)
{
	char shown[128];

	text_escape(shown, sizeof(shown), text, strlen(text));
	return err_set(err, EINVAL, "\"%s\" is not understood; accepted: %s", shown, keyword->accepts);
}

static int set_choice(int *choice, const struct keyword *keyword, const char *text, struct err *err)
{
	size_t len = strlen(text);
	int index = 0;

	for (const char *word = keyword->accepts; *word; index++) {
		size_t word_len = strcspn(word, " ");

		if (word_len == len && strncmp(word, text, len) == 0) {
			*choice = index;
			return 0;
		}
		word += word_len;
		word += strspn(word, " ");
	}
	return is_wrong(err, keyword, text);
}

static int set_text(char **target, const char *text, struct err *err)
{
	char *copy = NULL;

	if (*text) {
		copy = strdup(text);
		if (!copy)
			return err_set(err, ENOMEM, "out of memory");
	}
	free(*target);
	*target = copy;
	return 0;
}

/* "%h" stands for an absolute path; profile_expand() judges what it became. */
static bool is_plain_path(const char *path)
{
	if (text_has_prefix(path, "%h"))
		return !path[2] || text_is_plain_path(path + 2);
	return text_is_plain_path(path);
}

static int set_path(char **target, const struct keyword *keyword, const char *text, struct err *err)
{
	bool may_be_empty = keyword->type != KEYWORD_TOOL;

	if (!(may_be_empty && !*text) && !is_plain_path(text))
		return err_set(err, EINVAL, "\"%s\" is not an absolute path without \".\", \"..\" and \"//\"", text);
	return set_text(target, text, err);
}

static int split(const char *text, struct strv *words, struct err *err)
{
	int r = words_split(text, WORDS_LIST, words, err);

	return r ? r : strv_finish(words, err);
}

static int set_paths(struct strv *target, const char *text, struct err *err)
{
	_cleanup_strv_ struct strv words = STRV_INIT;
	int r = split(text, &words, err);

	if (r)
		return r;
	for (size_t i = 0; i < words.len; i++) {
		const char *path = words.items[i] + (words.items[i][0] == '?');

		if (!is_plain_path(path))
			return err_set(err, EINVAL, "\"%s\" is not an absolute path without \".\", \"..\" and \"//\"", path);
	}
	return strv_copy(target, &words) ? err_set(err, ENOMEM, "out of memory") : 0;
}

static void add_name(struct strv *target, const char *name)
{
	if (!strv_contains(target, name))
		strv_add(target, name);
}

static void add_etc(struct strv *target, const char *name)
{
	for (size_t i = 0; i < sizeof(etc_presets) / sizeof(etc_presets[0]); i++) {
		_cleanup_strv_ struct strv entries = STRV_INIT;
		struct err ignored;

		if (strcmp(etc_presets[i].name, name) != 0)
			continue;
		words_split(etc_presets[i].entries, WORDS_LIST, &entries, &ignored);
		target->failed |= entries.failed;
		for (size_t j = 0; j < entries.len; j++)
			add_name(target, entries.items[j]);
		return;
	}
	add_name(target, name);
}

/* Words with a + add to what the layers below gave; any other word starts the list anew. */
static int set_etc(struct strv *target, const struct strv *words, struct err *err)
{
	bool is_anew = words->len == 0;

	for (size_t i = 0; i < words->len; i++) {
		const char *name = words->items[i] + (words->items[i][0] == '+');

		if (!text_is_name(name))
			return err_set(err, EINVAL, "\"%s\" is not the name of an entry of /etc", name);
		if (strcmp(name, "passwd") == 0 || strcmp(name, "group") == 0)
			return err_set(err, EINVAL, "\"%s\" is shown by [view] passwd = host", name);
		is_anew |= words->items[i][0] != '+';
	}
	if (is_anew)
		strv_release(target);
	for (size_t i = 0; i < words->len; i++)
		add_etc(target, words->items[i] + (words->items[i][0] == '+'));
	return strv_finish(target, err);
}

static int set_words(struct strv *target, const struct keyword *keyword, const char *text, struct err *err)
{
	_cleanup_strv_ struct strv words = STRV_INIT;
	int r = split(text, &words, err);

	if (r)
		return r;
	if (strcmp(keyword->key, "etc") == 0)
		return set_etc(target, &words, err);
	for (size_t i = 0; strcmp(keyword->key, "devices") == 0 && i < words.len; i++)
		if (!text_is_name(words.items[i]))
			return err_set(err, EINVAL, "\"%s\" is not the name of a node below /dev", words.items[i]);
	return strv_copy(target, &words) ? err_set(err, ENOMEM, "out of memory") : 0;
}

static bool is_variable(const char *name, size_t len, bool may_glob)
{
	size_t literal = 0;

	for (size_t i = 0; i < len; i++) {
		bool is_letter = (name[i] >= 'A' && name[i] <= 'Z') || (name[i] >= 'a' && name[i] <= 'z') || name[i] == '_';
		bool is_digit = name[i] >= '0' && name[i] <= '9';

		if (is_letter || (is_digit && i > 0)) {
			literal += literal == i;
			continue;
		}
		if (!may_glob || (name[i] != '*' && name[i] != '?'))
			return false;
	}
	return literal == len ? len > 0 : literal >= 2;
}

/* A guarded name is refused whole, and so is a glob that could match one. */
static bool is_guarded(const char *name, size_t len)
{
	size_t literal = 0;

	while (literal < len && name[literal] != '*' && name[literal] != '?')
		literal++;
	for (size_t i = 0; i < sizeof(guarded_variables) / sizeof(guarded_variables[0]); i++) {
		const char *guarded = guarded_variables[i];

		if (strncmp(name, guarded, literal) == 0 && (literal < len || strlen(guarded) == len))
			return true;
	}
	return strncmp(name, "LD_", literal < 3 ? literal : 3) == 0;
}

static int set_variables(struct strv *target, const struct keyword *keyword, const char *text, struct err *err)
{
	bool is_assignment = strcmp(keyword->key, "set") == 0;
	_cleanup_strv_ struct strv words = STRV_INIT;
	int r = split(text, &words, err);

	if (r)
		return r;
	for (size_t i = 0; i < words.len; i++) {
		size_t len = strcspn(words.items[i], "=");

		if (!is_variable(words.items[i], len, !is_assignment) || is_assignment != (words.items[i][len] == '='))
			return is_wrong(err, keyword, words.items[i]);
		if (is_guarded(words.items[i], len))
			return err_set(err, EINVAL, "\"%.*s\" may not be given: it steers the chain's own helpers", (int)len, words.items[i]);
	}
	return strv_copy(target, &words) ? err_set(err, ENOMEM, "out of memory") : 0;
}

static int set_size(struct profile_size *target, const struct keyword *keyword, const char *text, struct err *err)
{
	struct profile_size size = { .is_set = strcmp(text, "-") != 0 };

	/* The largest numbers stand for none further on. */
	if (size.is_set && (text_size(text, &size.amount) || size.amount.value > INT64_MAX))
		return is_wrong(err, keyword, text);
	*target = size;
	return 0;
}

static int set_count(uint64_t *target, const struct keyword *keyword, const char *text, struct err *err)
{
	bool is_weight = text_has_suffix(keyword->key, "_weight");
	uint64_t count = PROFILE_NONE;

	if (strcmp(text, "-") != 0 &&
		(text_number(text, is_weight ? 10000 : 4194304, &count) || (count == 0 && strcmp(keyword->key, "queue") != 0)))
		return is_wrong(err, keyword, text);
	*target = count;
	return 0;
}

static int set_duration(uint64_t *target, const struct keyword *keyword, const char *text, struct err *err)
{
	uint64_t seconds = PROFILE_NONE;

	if (strcmp(text, "none") != 0 && text_duration(text, &seconds))
		return is_wrong(err, keyword, text);
	if (seconds == 0 && (strcmp(keyword->key, "timeout") == 0 || strcmp(keyword->key, "idle") == 0))
		return err_set(err, EINVAL, "0 would let nothing run; accepted: %s", keyword->accepts);
	*target = seconds;
	return 0;
}

static int set_cpus(uint64_t *target, const struct keyword *keyword, const char *text, struct err *err)
{
	const char *dot = strchr(text, '.');
	char whole[16];
	uint64_t cpus, hundredths = 0;

	if (strcmp(text, "-") == 0) {
		*target = PROFILE_NONE;
		return 0;
	}
	snprintf(whole, sizeof(whole), "%.*s", (int)(dot ? dot - text : 15), text);
	if (text_number(whole, CPUS_MAX, &cpus) || (dot && (strlen(dot + 1) > 2 || text_number(dot + 1, 99, &hundredths))))
		return is_wrong(err, keyword, text);
	if (dot && strlen(dot + 1) == 1)
		hundredths *= 10;
	if (cpus * 100 + hundredths == 0)
		return is_wrong(err, keyword, text);
	*target = cpus * 100 + hundredths;
	return 0;
}

static int set_mode(uint64_t *target, const struct keyword *keyword, const char *text, struct err *err)
{
	uint64_t mode = 0;

	if (strcmp(text, "-") == 0) {
		*target = PROFILE_NONE;
		return 0;
	}
	if (!*text || strlen(text) > 4 || strspn(text, "01234567") != strlen(text))
		return is_wrong(err, keyword, text);
	for (const char *digit = text; *digit; digit++)
		mode = mode * 8 + (uint64_t)(*digit - '0');
	if (mode > 0777)
		return is_wrong(err, keyword, text);
	*target = mode;
	return 0;
}

int setting_parse(struct profile *profile, const struct keyword *keyword, const char *text, struct err *err)
{
	void *target = field(profile, keyword);

	switch (keyword->type) {
	case KEYWORD_CHOICE:
		return set_choice(target, keyword, text, err);
	case KEYWORD_TEXT:
		return set_text(target, text, err);
	case KEYWORD_PATH:
	case KEYWORD_TOOL:
		return set_path(target, keyword, text, err);
	case KEYWORD_WORDS:
		return set_words(target, keyword, text, err);
	case KEYWORD_PATHS:
		return set_paths(target, text, err);
	case KEYWORD_VARIABLES:
		return set_variables(target, keyword, text, err);
	case KEYWORD_SIZE:
		return set_size(target, keyword, text, err);
	case KEYWORD_COUNT:
		return set_count(target, keyword, text, err);
	case KEYWORD_DURATION:
		return set_duration(target, keyword, text, err);
	case KEYWORD_CPUS:
		return set_cpus(target, keyword, text, err);
	case KEYWORD_MODE:
		return set_mode(target, keyword, text, err);
	}
	return err_set(err, EINVAL, "no such type of keyword");
}

void setting_release(struct profile *profile, const struct keyword *keyword)
{
	void *target = field(profile, keyword);

	switch (keyword->type) {
	case KEYWORD_TEXT:
	case KEYWORD_PATH:
	case KEYWORD_TOOL:
		free(*(char **)target);
		*(char **)target = NULL;
		return;
	case KEYWORD_WORDS:
	case KEYWORD_PATHS:
	case KEYWORD_VARIABLES:
		strv_release(target);
		return;
	case KEYWORD_CHOICE:
	case KEYWORD_SIZE:
	case KEYWORD_COUNT:
	case KEYWORD_DURATION:
	case KEYWORD_CPUS:
	case KEYWORD_MODE:
		return;
	}
}

static char *show(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *show(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return text;
}

static char *show_choice(const struct keyword *keyword, int choice)
{
	const char *word = keyword->accepts;

	for (int i = 0; i < choice; i++) {
		word += strcspn(word, " ");
		word += strspn(word, " ");
	}
	return strndup(word, strcspn(word, " "));
}

static char *show_size(const struct profile_size *size)
{
	static const char units[] = "KMGT";
	uint64_t value = size->amount.value;
	int unit = -1;

	if (!size->is_set)
		return strdup("-");
	if (size->amount.is_percent)
		return show("%llu%%", (unsigned long long)value);
	while (value && value % 1024 == 0 && unit < 3) {
		value /= 1024;
		unit++;
	}
	return unit < 0 ? show("%llu", (unsigned long long)value) : show("%llu%c", (unsigned long long)value, units[unit]);
}

char *setting_show(const struct profile *profile, const struct keyword *keyword)
{
	const void *value = (const char *)profile + keyword->offset;
	uint64_t number;

	switch (keyword->type) {
	case KEYWORD_CHOICE:
		return show_choice(keyword, *(const int *)value);
	case KEYWORD_TEXT:
	case KEYWORD_PATH:
	case KEYWORD_TOOL:
		return strdup(*(char *const *)value ? *(char *const *)value : "");
	case KEYWORD_WORDS:
	case KEYWORD_PATHS:
	case KEYWORD_VARIABLES:
		if (((const struct strv *)value)->len == 0)
			return strdup("");
		return words_join((const char *const *)((const struct strv *)value)->items);
	case KEYWORD_SIZE:
		return show_size(value);
	case KEYWORD_COUNT:
	case KEYWORD_DURATION:
	case KEYWORD_CPUS:
	case KEYWORD_MODE:
		number = *(const uint64_t *)value;
		if (number == PROFILE_NONE)
			return strdup(keyword->type == KEYWORD_DURATION ? "none" : "-");
		if (keyword->type == KEYWORD_MODE)
			return show("%03llo", (unsigned long long)number);
		if (keyword->type == KEYWORD_CPUS)
			return show("%llu.%02llu", (unsigned long long)number / 100, (unsigned long long)number % 100);
		return show("%llu%s", (unsigned long long)number, keyword->type == KEYWORD_DURATION ? "s" : "");
	}
	return NULL;
}

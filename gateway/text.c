/* SPDX-License-Identifier: ISC */
/* Owns what a single piece of text is and how it is made safe to show; never allocates, never reads the locale. */
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SECONDS_MAX (UINT64_C(3650) * 86400)
#define NAME_MAX_BYTES 255

static bool is_between(unsigned char byte, unsigned char low, unsigned char high)
{
	return byte >= low && byte <= high;
}

/* The length of the well-formed character that a lead byte announces: RFC 3629 section 4, row by row. */
static size_t utf8_len(const unsigned char *in, size_t len)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t need;

	if (in[0] < 0x80)
		return 1;
	if (is_between(in[0], 0xc2, 0xdf))
		need = 2;
	else if (is_between(in[0], 0xe0, 0xef))
		need = 3;
	else if (is_between(in[0], 0xf0, 0xf4))
		need = 4;
	else
		return 0;
	if (in[0] == 0xe0) /* below: overlong */
		low = 0xa0;
	if (in[0] == 0xed) /* above: surrogates */
		high = 0x9f;
	if (in[0] == 0xf0) /* below: overlong */
		low = 0x90;
	if (in[0] == 0xf4) /* above: past U+10FFFF */
		high = 0x8f;
	if (len < need || !is_between(in[1], low, high))
		return 0;
	for (size_t i = 2; i < need; i++)
		if (!is_between(in[i], 0x80, 0xbf))
			return 0;
	return need;
}

static bool is_shown_as_it_is(const unsigned char *in, size_t character, bool keeps_backslash)
{
	if (character == 0)
		return false;
	if (character == 1)
		return in[0] >= 0x20 && in[0] != 0x7f && (in[0] != '\\' || keeps_backslash);
	return !(in[0] == 0xc2 && in[1] < 0xa0); /* C1: a terminal takes U+009B for ESC [ */
}

static size_t escape(char *out, size_t size, const char *in, size_t len, bool keeps_backslash)
{
	const unsigned char *bytes = (const unsigned char *)in;
	size_t taken = 0, used = 0;

	if (size == 0)
		return 0;
	while (taken < len) {
		size_t character = utf8_len(bytes + taken, len - taken);
		size_t step = character ? character : 1;
		bool as_it_is = is_shown_as_it_is(bytes + taken, character, keeps_backslash);
		size_t need = as_it_is ? step : 4 * step;

		if (need >= size - used)
			break;
		if (as_it_is)
			memcpy(out + used, in + taken, step);
		else
			for (size_t i = 0; i < step; i++)
				snprintf(out + used + 4 * i, 5, "\\x%02x", bytes[taken + i]);
		used += need;
		taken += step;
	}
	out[used] = '\0';
	return taken;
}

/* The backslash is escaped too, or "\x41" in the input and an escape could not be told apart. */
size_t text_escape(char *out, size_t size, const char *in, size_t len)
{
	return escape(out, size, in, len, false);
}

const char *text_show(char *out, size_t size, const char *in)
{
	escape(out, size, in, strlen(in), true);
	return out;
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool text_is_name(const char *text)
{
	size_t len = 1;

	if (!is_name_start(text[0]))
		return false;
	for (; text[len]; len++)
		if (!is_name_start(text[len]) && text[len] != '.' && text[len] != '-')
			return false;
	return len <= NAME_MAX_BYTES;
}

bool text_has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_has_suffix(const char *text, const char *suffix)
{
	size_t len = strlen(text), suffix_len = strlen(suffix);

	return len >= suffix_len && memcmp(text + len - suffix_len, suffix, suffix_len) == 0;
}

/* Component by component, so that neither "//" nor a slash at the end makes two names of one place. */
bool text_is_plain_path(const char *path)
{
	if (path[0] != '/' || strlen(path) >= PATH_MAX)
		return false;
	if (!path[1])
		return true;
	while (*path == '/') {
		size_t len = strcspn(++path, "/");

		if (len == 0 || (len == 1 && path[0] == '.') || (len == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		path += len;
	}
	return true;
}

bool text_path_is_within(const char *path, const char *tree)
{
	for (;;) {
		size_t len;

		path += strspn(path, "/");
		tree += strspn(tree, "/");
		if (!*tree)
			return true;
		len = strcspn(tree, "/");
		if (strcspn(path, "/") != len || memcmp(path, tree, len) != 0)
			return false;
		path += len;
		tree += len;
	}
}

/* The digits that a text starts with; what follows them is left in *rest. */
static int leading_number(const char *text, uint64_t *number, const char **rest)
{
	bool is_too_large = false;
	uint64_t value = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++)
		is_too_large |= __builtin_mul_overflow(value, 10u, &value) ||
				__builtin_add_overflow(value, (unsigned)(*at - '0'), &value);
	if (at == text)
		return -EINVAL;
	*rest = at;
	*number = value;
	return is_too_large ? -ERANGE : 0;
}

const char *text_skip_words(const char *text, unsigned count)
{
	text += strspn(text, " ");
	for (; count; count--) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return text;
}

int text_number(const char *text, uint64_t max, uint64_t *number)
{
	const char *rest = "";
	uint64_t value = 0;
	int r = leading_number(text, &value, &rest);

	if (r == -EINVAL || *rest)
		return -EINVAL;
	if (r < 0 || value > max)
		return -ERANGE;
	*number = value;
	return 0;
}

int text_size(const char *text, struct text_amount *amount)
{
	static const char units[] = "KMGT";
	const char *rest = "", *unit;
	uint64_t value = 0;
	int r = leading_number(text, &value, &rest);

	if (r == -EINVAL || (rest[0] && rest[1]))
		return -EINVAL;
	if (rest[0] == '%') {
		if (r < 0 || value < 1 || value > 100)
			return -ERANGE;
		*amount = (struct text_amount){ value, true };
		return 0;
	}
	unit = strchr(units, rest[0]); /* finds the end for a number without unit */
	if (!unit)
		return -EINVAL;
	if (r < 0 || (rest[0] && __builtin_mul_overflow(value, UINT64_C(1024) << (10 * (unit - units)), &value)))
		return -ERANGE;
	*amount = (struct text_amount){ value, false };
	return 0;
}

int text_duration(const char *text, uint64_t *seconds)
{
	static const char units[] = "smhd";
	static const uint64_t factors[] = { 1, 60, 3600, 86400, 1 };
	const char *rest = "", *unit;
	uint64_t value = 0;
	int r = leading_number(text, &value, &rest);

	if (r == -EINVAL || (rest[0] && rest[1]))
		return -EINVAL;
	unit = strchr(units, rest[0]);
	if (!unit)
		return -EINVAL;
	if (r < 0 || __builtin_mul_overflow(value, factors[unit - units], &value) || value > SECONDS_MAX)
		return -ERANGE;
	*seconds = value;
	return 0;
}

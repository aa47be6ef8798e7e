/* SPDX-License-Identifier: ISC */
/* Owns the reading of sshd's words; touches nothing. */
#include "check_config.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text.h"

void check_config_release(struct check_config *config)
{
	strv_release(&config->keys);
	strv_release(&config->values);
}

int check_config_parse(struct check_config *config, const char *text, struct err *err)
{
	int r;

	while (*text) {
		size_t len = strcspn(text, "\n"), key = strcspn(text, " \n");

		if (key) {
			strv_addf(&config->keys, "%.*s", (int)key, text);
			strv_addf(&config->values, "%.*s", (int)(len - key - (key < len)), text + key + (key < len));
		}
		text += len + (text[len] == '\n');
	}
	r = strv_finish(&config->keys, err);
	return r ? r : strv_finish(&config->values, err);
}

const char *check_config_value(const struct check_config *config, const char *key)
{
	for (size_t i = 0; i < config->keys.len; i++)
		if (strcmp(config->keys.items[i], key) == 0)
			return config->values.items[i];
	return "";
}

bool check_config_accepts_danger(const char *pattern)
{
	static const char *const read[] = { "SSH_ORIGINAL_COMMAND", "SSH_USER_AUTH", "SSH_CONNECTION", "SSH_AUTH_INFO_0", "LD_PRELOAD",
		"LD_LIBRARY_PATH", "LD_AUDIT", "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "BASH_ENV", "ENV", "SHELLOPTS", "PATH" };

	if (text_has_prefix(pattern, "SSH_") || text_has_prefix(pattern, "LD_"))
		return true;
	for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++)
		if (fnmatch(pattern, read[i], 0) == 0)
			return true;
	return false;
}

void check_config_keys_path(char *out, size_t size, const char *word, const char *user, unsigned uid, const char *home)
{
	size_t len = word[0] == '/' || text_has_prefix(word, "%h") ? 0 : (size_t)snprintf(out, size, "%s/", home);

	for (; *word && len + 1 < size; word++) {
		if (word[0] != '%' || !word[1]) {
			out[len++] = *word;
			continue;
		}
		word++;
		if (*word == 'u')
			len += (size_t)snprintf(out + len, size - len, "%s", user);
		else if (*word == 'h')
			len += (size_t)snprintf(out + len, size - len, "%s", home);
		else if (*word == 'U')
			len += (size_t)snprintf(out + len, size - len, "%u", uid);
		else
			out[len++] = *word;
	}
	out[len < size ? len : size - 1] = '\0';
}

static bool is_type(const char *word)
{
	return text_has_prefix(word, "ssh-") || text_has_prefix(word, "ecdsa-") || text_has_prefix(word, "sk-");
}

bool check_config_is_key(const char *line)
{
	line += strspn(line, " \t");
	return *line && *line != '#' && strpbrk(line, " \t");
}

/* The end of an option: an unquoted comma or blank. */
static size_t option_len(const char *option)
{
	bool is_quoted = false;
	size_t len = 0;

	for (; option[len] && (is_quoted || !strchr(", \t", option[len])); len++) {
		if (option[len] == '\\' && option[len + 1] == '"')
			len++;
		else if (option[len] == '"')
			is_quoted = !is_quoted;
	}
	return len;
}

static void unquote(char *out, size_t size, const char *in, size_t len)
{
	size_t used = 0;

	for (size_t i = 0; i < len && used + 1 < size; i++) {
		if (in[i] == '\\' && i + 1 < len && in[i + 1] == '"')
			out[used++] = in[++i];
		else if (in[i] != '"')
			out[used++] = in[i];
	}
	out[used] = '\0';
}

bool check_config_key_option(const char *line, const char *name, char *value, size_t size)
{
	size_t name_len = strlen(name);

	line += strspn(line, " \t");
	if (!check_config_is_key(line) || is_type(line))
		return false;
	while (*line && *line != ' ' && *line != '\t') {
		size_t len = option_len(line);

		if (len > name_len && strncasecmp(line, name, name_len) == 0 && line[name_len] == '=') {
			unquote(value, size, line + name_len + 1, len - name_len - 1);
			return true;
		}
		line += len;
		line += *line == ',';
	}
	return false;
}

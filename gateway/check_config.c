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

/* What fits the first pattern of the list that is not negated. */
static void fit(char *out, size_t size, const char *list, bool is_address)
{
	const char *star;
	size_t len = 0, dots = 0;

	while (*list == '!' && strchr(list, ','))
		list = strchr(list, ',') + 1;
	star = !is_address ? "x" : memchr(list, ':', strcspn(list, ",")) ? ":1" : "1";
	for (; *list && !strchr(is_address ? ",/" : ",", *list) && len + 4 < size; list++) {
		if (*list == '*')
			len += (size_t)snprintf(out + len, size - len, "%s", star);
		else
			out[len++] = *list == '?' ? '1' : *list;
		dots += *list == '.';
	}
	out[len] = '\0';
	if (is_address && star[0] == '1')
		for (; dots < 3 && len + 3 < size; dots++, len += 2)
			memcpy(out + len, ".1", sizeof(".1"));
}

bool check_config_match(const char *line, const char *user, char *spec, size_t size)
{
	enum { HOST, ADDRESS, LOCAL_ADDRESS, LOCAL_PORT, COUNT };
	static const char *const names[COUNT] = { "host", "address", "localaddress", "localport" };
	char values[COUNT][128] = { "localhost", "127.0.0.1", "127.0.0.1", "22" }, words[1024], *save = NULL;
	bool is_ours = false;

	snprintf(words, sizeof(words), "%s", line);
	words[strcspn(words, "#\r\n")] = '\0';
	line = strtok_r(words, " \t=\"", &save);
	if (!line || strcasecmp(line, "match") != 0)
		return false;
	for (const char *key; (key = strtok_r(NULL, " \t=\"", &save));) {
		const char *value = strcasecmp(key, "all") == 0 ? NULL : strtok_r(NULL, " \t=\"", &save);

		for (size_t i = 0; value && i < COUNT; i++)
			if (strcasecmp(key, names[i]) == 0) {
				fit(values[i], sizeof(values[i]), value, i == ADDRESS || i == LOCAL_ADDRESS);
				is_ours = true;
			}
	}
	/* All of them: sshd ends where its configuration goes by one that it is not told. */
	if (is_ours)
		snprintf(spec, size, "user=%s,host=%s,addr=%s,laddr=%s,lport=%s", user, values[HOST], values[ADDRESS], values[LOCAL_ADDRESS], values[LOCAL_PORT]);
	return is_ours;
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

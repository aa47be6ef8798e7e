/* SPDX-License-Identifier: ISC */
/* Finds key files that the account can write, and keys that name an actor nobody proved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "layout.h"
#include "source.h"
#include "text.h"
#include "words.h"

struct file {
	struct check *check;
	const char *path;
	bool is_writable;
	bool is_command_text;   /* sshd's or the shell's gateway gets command="" as the client's text */
	size_t keys, keys_of_form_k;
};

static void cure_option(struct file *file, struct check_finding *finding, unsigned number, const char *option)
{
	char quoted[1024];

	/* As the account where the file is its own: root would follow a link that is put there meanwhile. */
	check_cure(finding, "%s%s%ssed -i -E '%us/(,%s=\"([^\"\\\\]|\\\\.)*\"|%s=\"([^\"\\\\]|\\\\.)*\",?)//I' %s", file->is_writable ? "runuser -u " : "",
		file->is_writable ? file->check->user : "", file->is_writable ? " -- " : "", number, option, option,
		check_quote(quoted, sizeof(quoted), file->path));
}

static void look_at_key(void *data, unsigned number, char *line)
{
	struct file *file = data;
	bool has_environment = strcmp(check_config_value(&file->check->sshd, "permituserenvironment"), "no") != 0;
	char value[2048], where[512];

	if (!check_config_is_key(line))
		return;
	file->keys++;
	snprintf(where, sizeof(where), "%s:%u", file->path, number);
	if (check_config_key_option(line, "command", value, sizeof(value)) && strstr(value, "--as")) {
		file->keys_of_form_k += text_has_prefix(value, STOCKADE_GATEWAY " --as ");
		if (file->is_writable || file->is_command_text)
			cure_option(file, check_add(file->check, CHECK_KEY_FORGES_ACTOR, where, "command=\"%s\": %s", value,
						  file->is_writable ? "the account can write this file, and be any actor" :
								      "under ForceCommand or the gateway as login shell this is text and names nobody: put the key's fingerprint into [actors]"),
				number, "command");
	}
	if (has_environment && check_config_key_option(line, "environment", value, sizeof(value)))
		cure_option(file, check_add(file->check, CHECK_KEY_FORGES_ACTOR, where, "environment=\"%s\": the key sets the gateway's own environment", value),
			number, "environment");
}

static void add_writable(struct check *check, const char *path, const char *loose)
{
	struct check_finding *finding = check_add(check, CHECK_SSHD_AUTHORIZED_KEYS, path,
		"%s is not root's alone: whoever runs a command may add a key without a name", loose[0] ? loose : path);
	char quoted[1024];

	if (loose[0] && !text_path_is_within(path, check->decision.account.home))
		check_cure(finding, "chown root:root %s && chmod go-w %s", check_quote(quoted, sizeof(quoted), loose), quoted);
	else
		check_cure(finding,
			"install -d " LAYOUT_KEYS_DIR " && printf 'Match User %s\\n    %%s\\n' '%s' >>" LAYOUT_SSHD_EARLY " && /usr/sbin/sshd -t && systemctl reload ssh",
			check->user, LAYOUT_KEYS_LINE, check->user);
}

static void look_at_file(struct check *check, const char *path, size_t *keys, size_t *keys_of_form_k)
{
	const struct account *account = &check->decision.account;
	const char *command = check_config_value(&check->sshd, "forcecommand");
	struct file file = { .check = check, .path = path };
	_cleanup_source_ struct source source = SOURCE_INIT;
	struct err err = { "" };
	char *text;

	/* A link where none is to be trusted counts as writable. */
	file.is_writable = source_open(&source, check->root_fd, path, 0, &err) != 0 || source.loose[0] || text_path_is_within(path, account->home);
	file.is_command_text = (*command && strcmp(command, "none") != 0) || (account->shell && strcmp(account->shell, STOCKADE_GATEWAY) == 0);
	if (file.is_writable)
		add_writable(check, path, source.loose);
	text = check_read(check, path);
	check_lines(text, look_at_key, &file);
	free(text);
	*keys += file.keys;
	*keys_of_form_k += file.is_writable ? 0 : file.keys_of_form_k;
}

void check_keys(struct check *check)
{
	const struct account *account = &check->decision.account;
	const char *list = check_config_value(&check->sshd, "authorizedkeysfile");
	_cleanup_strv_ struct strv words = STRV_INIT;
	size_t keys = 0, keys_of_form_k = 0;
	struct err ignored;

	if (words_split(list, WORDS_LIST, &words, &ignored))
		return;
	for (size_t i = 0; i < words.len; i++) {
		char path[4096];

		if (strcmp(words.items[i], "none") == 0)
			continue;
		check_config_keys_path(path, sizeof(path), words.items[i], check->user, account->uid, account->home);
		look_at_file(check, path, &keys, &keys_of_form_k);
	}
	check->has_keys_of_form_k = keys > 0 && keys == keys_of_form_k;
}

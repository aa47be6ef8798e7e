/* SPDX-License-Identifier: ISC */
/* sshd's words, as text: what "sshd -T" prints, and the options of a line of authorized_keys(8). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "strv.h"

struct check_config {
	struct strv keys;   /* lower case, as sshd prints them */
	struct strv values; /* of the same index */
};

#define CHECK_CONFIG_INIT { STRV_INIT, STRV_INIT }

void check_config_release(struct check_config *config);

/* -ENOMEM only: a line without a value counts as one with an empty value. */
int check_config_parse(struct check_config *config, const char *text, struct err *err);

/* The first value of the keyword, "" where there is none. */
const char *check_config_value(const struct check_config *config, const char *key);

/* True where a pattern of AcceptEnv lets a variable in that the gateway, sshd's own channel or the loader reads. */
bool check_config_accepts_danger(const char *pattern);

/*
 * For a Match line that goes by more than the user: a connection that fits it, as "sshd -T -C" takes it. False for any other line.
 */
bool check_config_match(const char *line, const char *user, char *spec, size_t size);

/* The path of an AuthorizedKeysFile word for the account. */
void check_config_keys_path(char *out, size_t size, const char *word, const char *user, unsigned uid, const char *home);

/*
 * The value of NAME="…" among a key line's options, unquoted; false where the line has none. A comment or an empty line has
 * none.
 */
bool check_config_key_option(const char *line, const char *name, char *value, size_t size);

/* True where the line is a key at all. */
bool check_config_is_key(const char *line);

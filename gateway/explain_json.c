/* SPDX-License-Identifier: ISC */
/* Owns the forms for programs and shells; the decision is made elsewhere, and nothing runs. */
#include "explain_json.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argv.h"
#include "setting.h"
#include "words.h"

static void put_text(struct json_object *object, const char *key, const char *text)
{
	char shown[8192];

	json_object_object_add(object, key, text ? json_object_new_string(text_show(shown, sizeof(shown), text)) : NULL);
}

static void put_place(struct json_object *object, const char *file, unsigned line)
{
	put_text(object, "file", file);
	json_object_object_add(object, "line", file ? json_object_new_int((int)line) : NULL);
}

static struct json_object *words_array(const struct strv *words)
{
	struct json_object *array = json_object_new_array();
	char shown[8192];

	for (size_t i = 0; i < words->len; i++)
		json_object_array_add(array, json_object_new_string(text_show(shown, sizeof(shown), words->items[i])));
	return array;
}

static void put_verdict(struct json_object *top, const struct decision *decision)
{
	const struct plan *plan = &decision->plan;
	const struct profile_entry *rule = decision->verdict.rule;
	char lacks[64];

	put_text(top, "verdict", plan->reason == REASON_NONE ? "runs" : "refused");
	put_text(top, "kind", request_kind_name(decision->verdict.kind));
	put_text(top, "reason", plan->reason == REASON_NONE ? NULL : plan_reason_name(plan->reason));
	put_text(top, "stage", plan->stage);
	json_object_object_add(top, "exit", json_object_new_int(plan_status(plan)));
	put_text(top, "sentence", plan->reason == REASON_NONE ? NULL : plan->sentence);
	put_text(top, "detail", plan->reason == REASON_NONE ? NULL : plan->detail);
	put_text(top, "grade", grade_name(plan->grade));
	put_text(top, "lacks", facets_text(plan->lacks, lacks, sizeof(lacks)));
	if (rule) {
		struct json_object *object = json_object_new_object();

		put_text(object, "section", decision->verdict.section);
		put_text(object, "name", rule->name);
		put_text(object, "text", rule->text);
		put_place(object, rule->file, rule->line);
		json_object_object_add(top, "rule", object);
	}
}

static struct json_object *settings_array(const struct profile *profile)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < profile_keywords_count; i++) {
		struct json_object *object = json_object_new_object();
		char *value = setting_show(profile, &profile_keywords[i]);

		put_text(object, "section", profile_keywords[i].section);
		put_text(object, "key", profile_keywords[i].key);
		put_text(object, "value", value);
		put_place(object, profile->origins[i].file, profile->origins[i].line);
		json_object_array_add(array, object);
		free(value);
	}
	return array;
}

static struct json_object *mounts_array(const struct plan *plan)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->ops_len; i++) {
		struct json_object *object = json_object_new_object();

		put_text(object, "op", explain_op_name(plan->ops[i].kind));
		put_text(object, "dest", plan->ops[i].dest);
		put_text(object, "source", plan->ops[i].source);
		put_text(object, "why", plan->ops[i].why);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *limits_array(const struct plan *plan)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->limits_len; i++) {
		struct json_object *object = json_object_new_object();

		put_text(object, "property", plan->limits[i].property);
		put_text(object, "file", plan->limits[i].file);
		put_text(object, "expected", plan->limits[i].expected);
		json_object_object_add(object, "account", json_object_new_boolean(plan->limits[i].is_account));
		json_object_array_add(array, object);
	}
	return array;
}

static int render(const struct decision *decision, struct strv *argv, struct strv *options)
{
	const struct argv_fds fds = ARGV_FDS_NONE;
	struct err err = { "" };

	if (argv_render(argv, &decision->plan, &decision->input, &fds, &err) == 0 &&
		argv_render_bwrap(options, &decision->plan, &decision->input, &fds, &err) == 0)
		return 0;
	fprintf(stderr, "stockade: %s\n", err.text);
	return 1;
}

static struct json_object *network_object(const struct decision *decision)
{
	const struct argv_helper_fds fds = { -1, -1, -1, -1 };
	_cleanup_strv_ struct strv helper = STRV_INIT;
	struct json_object *object = json_object_new_object();
	struct err ignored;

	if (argv_render_helper(&helper, &decision->plan, &decision->input, &fds, &ignored) == 0)
		json_object_object_add(object, "helper", words_array(&helper));
	/* Of our own making, and for nft: as they are. */
	json_object_object_add(object, "rules", json_object_new_string(decision->plan.net_rules));
	return object;
}

int explain_json(const struct decision *decision)
{
	_cleanup_strv_ struct strv argv = STRV_INIT;
	_cleanup_strv_ struct strv options = STRV_INIT;
	struct json_object *top = json_object_new_object();
	int r = 0;

	put_verdict(top, decision);
	if (decision->profile.files.len)
		json_object_object_add(top, "settings", settings_array(&decision->profile));
	if (decision->plan.reason == REASON_NONE) {
		r = render(decision, &argv, &options);
		json_object_object_add(top, "mounts", mounts_array(&decision->plan));
		put_text(top, "directory", decision->plan.cwd);
		json_object_object_add(top, "environment", words_array(&decision->plan.env));
		json_object_object_add(top, "limits", limits_array(&decision->plan));
		json_object_object_add(top, "chain", words_array(&argv));
		json_object_object_add(top, "bwrap", words_array(&options));
		if (decision->plan.net_rules)
			json_object_object_add(top, "network", network_object(decision));
	}
	puts(json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY));
	json_object_put(top);
	return r;
}

/* Descriptors of the script's own for the generated files; NULL for what only the gateway can give. */
static const char *script_descriptor(const char *word)
{
	static const char *const words[][2] = { { "{passwd}", "11" }, { "{group}", "12" }, { "{session}", "13" }, { "{nothing}", "14" },
		{ "{hosts}", "15" }, { "{resolv.conf}", "16" }, { "{nsswitch.conf}", "17" } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i][0], word) == 0)
			return words[i][1];
	return NULL;
}

/* Bash's $'…': no byte that the terminal obeys, which the script may be shown on. */
static void print_bytes(const char *word)
{
	printf(" $'");
	for (; *word; word++) {
		unsigned char byte = (unsigned char)*word;

		if (byte < 0x20 || byte >= 0x7f || byte == '\\' || byte == '\'')
			printf("\\x%02x", byte);
		else
			putchar(byte);
	}
	putchar('\'');
}

static bool has_odd_byte(const char *word)
{
	for (; *word; word++)
		if (((unsigned char)*word < 0x20 && *word != '\n' && *word != '\t') || (unsigned char)*word >= 0x7f)
			return true;
	return false;
}

static void print_quoted(const char *word)
{
	char *quoted;

	if (has_odd_byte(word)) {
		print_bytes(word);
		return;
	}
	quoted = words_quote(word);

	printf(" %s", quoted ? quoted : "?");
	free(quoted);
}

/* The private directories do not exist yet: the script makes its own. */
static void print_option(const char *word, const char *private_dir)
{
	if (text_has_prefix(word, private_dir) && word[strlen(private_dir)] == '/')
		printf(" \"$dir\"%s", word + strlen(private_dir));
	else
		print_quoted(word);
}

static void print_options(const struct strv *options, const char *private_dir)
{
	for (size_t i = 0; i < options->len; i++) {
		const char *next = i + 1 < options->len ? options->items[i + 1] : "";

		if (next[0] == '{' && !script_descriptor(next)) {
			i++;
			continue;
		}
		if (text_has_prefix(options->items[i], "--"))
			printf(" \\\n\t");
		if (script_descriptor(options->items[i]))
			printf(" %s", script_descriptor(options->items[i]));
		else
			print_option(options->items[i], private_dir);
	}
}

int explain_script(const struct decision *decision)
{
	_cleanup_strv_ struct strv argv = STRV_INIT;
	_cleanup_strv_ struct strv options = STRV_INIT;

	if (decision->plan.reason != REASON_NONE) {
		fprintf(stderr, "stockade: it would be refused: %s\n", decision->plan.detail);
		return 1;
	}
	if (render(decision, &argv, &options))
		return 1;
	printf("#!/bin/bash\n# As user %s: the chain by hand, without the system call filter, the hold and the status.\n"
	       "dir=$(mktemp -d) && mkdir \"$dir\"/tmp \"$dir\"/var-tmp \"$dir\"/home \"$dir\"/work || exit 125\n"
	       "trap 'rm -rf \"$dir\"' EXIT\n", decision->account.name);
	if (decision->plan.facets & FACET_LIMITS)
		printf("export XDG_RUNTIME_DIR=/run/user/%u\n", decision->account.uid);
	for (size_t i = 0; i < argv.len; i++) {
		if (strcmp(argv.items[i], "--args") == 0 && i + 1 < argv.len) {
			print_options(&options, decision->input.private_dir);
			i++;
			continue;
		}
		if (strcmp(argv.items[i], "--") == 0)
			printf(" \\\n\t");
		print_quoted(argv.items[i]);
	}
	printf(" \\\n\t");
	for (size_t i = 0; i < DATA_EMPTY; i++) {
		if (!decision->plan.texts[i])
			continue;
		printf(" %s<<<", script_descriptor(argv_data_name((enum plan_data)i)));
		print_quoted(decision->plan.texts[i]);
	}
	printf(" 13<<<by-hand 14</dev/null\n");
	return 0;
}

/* SPDX-License-Identifier: ISC */
/* Owns how a decision is shown; decides nothing and runs nothing. */
#include "explain.h"

#include "explain_json.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "argv.h"
#include "decision.h"
#include "setting.h"
#include "words.h"

#define USAGE_STATUS 2

struct explain {
	const char *user;
	const char *actor;
	bool has_terminal, is_json, is_script;
	char *command; /* owned; NULL: a login */
};

static void show(const char *text)
{
	char escaped[8192];

	text_escape(escaped, sizeof(escaped), text, strlen(text));
	puts(escaped);
}

static void show_origin(const struct profile_origin *origin)
{
	if (origin->file)
		printf("  # %s:%u\n", origin->file, origin->line);
	else
		printf("  # default\n");
}

static void show_settings(const struct profile *profile)
{
	puts("settings:");
	for (size_t i = 0; i < profile_keywords_count; i++) {
		char *value = setting_show(profile, &profile_keywords[i]);

		printf("  [%s] %s = %s", profile_keywords[i].section, profile_keywords[i].key, value ? value : "?");
		show_origin(&profile->origins[i]);
		free(value);
	}
	for (int i = 0; i < LIMITS_COUNT; i++) {
		if (profile->limits[i] == LIMIT_UNSET)
			continue;
		if (profile->limits[i] == LIMIT_UNLIMITED)
			printf("  [limits] %s = unlimited", limits_table[i].name);
		else
			printf("  [limits] %s = %llu", limits_table[i].name, (unsigned long long)profile->limits[i]);
		show_origin(&profile->limit_origins[i]);
	}
}

static void show_entries(const char *section, const struct profile_entries *entries)
{
	for (size_t i = 0; i < entries->len; i++)
		printf("  [%s] %s = %s  # %s:%u\n", section, entries->items[i].name, entries->items[i].text, entries->items[i].file,
			entries->items[i].line);
}

static void show_verdict(const struct decision *decision)
{
	const struct plan *plan = &decision->plan;
	const struct profile_entry *rule = decision->verdict.rule;
	char lacks[64];

	if (plan->reason == REASON_NONE)
		printf("verdict: runs\n");
	else
		printf("verdict: refused, reason=%s stage=%s exit=%d\n", plan_reason_name(plan->reason), plan->stage, plan_status(plan));
	if (plan->reason != REASON_NONE) {
		printf("  the user is told: ");
		show(plan->sentence);
		printf("  the log says: ");
		show(plan->detail);
	}
	printf("kind: %s\n", request_kind_name(decision->verdict.kind));
	if (rule)
		printf("rule: [%s] %s = %s  # %s:%u\n", decision->verdict.section, rule->name, rule->text, rule->file, rule->line);
	if (plan->reason == REASON_NONE)
		printf("grade expected: %s, lacks %s\n", grade_name(plan->grade), facets_text(plan->lacks, lacks, sizeof(lacks)));
}

const char *explain_op_name(enum plan_op_kind kind)
{
	switch (kind) {
	case OP_BIND:
		return "write";
	case OP_RO_BIND:
		return "read";
	case OP_DEV_BIND:
		return "device";
	case OP_SYMLINK:
		return "link";
	case OP_DIR:
		return "directory";
	case OP_TMPFS:
		return "tmpfs";
	case OP_PROC:
		return "proc";
	case OP_DEV:
		return "dev";
	case OP_DATA:
	case OP_FILE:
		return "file";
	case OP_SEAL:
		return "seal";
	}
	return "?";
}

static void show_view(const struct plan *plan)
{
	puts("mounts, in order:");
	for (size_t i = 0; i < plan->ops_len; i++) {
		const struct plan_op *op = &plan->ops[i];

		printf("  %-9s %s%s%s  # %s\n", explain_op_name(op->kind), op->dest, op->source ? " <- " : "", op->source ? op->source : "", op->why);
	}
	printf("working directory: %s\nenvironment:\n", plan->cwd);
	for (size_t i = 0; i < plan->env.len; i++) {
		printf("  ");
		show(plan->env.items[i]);
	}
	puts("limits of the whole run:");
	for (size_t i = 0; i < plan->limits_len; i++)
		printf("  %s, read back from %s as %s\n", plan->limits[i].property, plan->limits[i].file, plan->limits[i].expected);
}

/* Optional, or of /etc: left out of the view without a word to the user. */
static void show_absent(const struct facts *facts)
{
	bool is_first = true;

	for (size_t i = 0; i < facts->sources_len; i++) {
		const struct facts_source *item = &facts->sources[i];

		if (item->source.kind != SOURCE_ABSENT || (item->use != USE_ETC && item->use != USE_TOOLCHAIN && item->use != USE_READ && item->use != USE_ALSO &&
								  item->use != USE_DEVICE))
			continue;
		if (is_first)
			puts("named by the profile, not on this host, and so not shown:");
		is_first = false;
		printf("  %s\n", item->given);
	}
}

static int show_words(const char *title, const struct strv *words)
{
	puts(title);
	for (size_t i = 0; i < words->len; i++) {
		printf("  ");
		show(words->items[i]);
	}
	return 0;
}

static int show_chain(const struct decision *decision)
{
	const struct argv_fds fds = ARGV_FDS_NONE;
	_cleanup_strv_ struct strv argv = STRV_INIT;
	_cleanup_strv_ struct strv options = STRV_INIT;
	struct err err;

	if (argv_render(&argv, &decision->plan, &decision->input, &fds, &err) ||
		argv_render_bwrap(&options, &decision->plan, &decision->input, &fds, &err)) {
		fprintf(stderr, "stockade: %s\n", err.text);
		return 1;
	}
	show_words("chain:", &argv);
	return show_words("bwrap's options, handed over by descriptor:", &options);
}

static void show_network(const struct decision *decision)
{
	const struct argv_helper_fds fds = { -1, -1, -1, -1 };
	_cleanup_strv_ struct strv argv = STRV_INIT;
	struct err err;

	if (!decision->plan.net_rules)
		return;
	if (argv_render_helper(&argv, &decision->plan, &decision->input, &fds, &err) == 0)
		show_words("network's helper, attached before the command is released:", &argv);
	printf("network's rules, loaded before that by %s:\n", decision->profile.tool_nft);
	for (const char *line = decision->plan.net_rules; *line; line += strcspn(line, "\n") + 1)
		printf("  %.*s\n", (int)strcspn(line, "\n"), line);
}

static void show_all(const struct decision *decision)
{
	show_verdict(decision);
	if (decision->profile.files.len) {
		show_settings(&decision->profile);
		show_entries("deny", &decision->profile.deny);
		show_entries("allow", &decision->profile.allow);
		show_entries("menu", &decision->profile.menu);
		show_entries("actors", &decision->profile.actors);
	}
	if (decision->plan.reason != REASON_NONE)
		return;
	show_view(&decision->plan);
	show_absent(&decision->facts);
	show_chain(decision);
	show_network(decision);
}

static int explain_request(const struct explain *explain)
{
	static const int no_fds[PRIVATE_COUNT] = { -1, -1, -1, -1, -1 };
	const struct load load = { .root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), .dir = STOCKADE_ETC, .owner = 0 };
	const struct decision_options options = { .load = &load, .actor = explain->actor, .is_login_assumed = true };
	char name[] = "stockade-gateway", *argv[] = { name, NULL };
	const struct request_input input = {
		.argc = 1,
		.argv = argv,
		.original_command = explain->command,
		.term = explain->has_terminal ? getenv("TERM") : NULL,
		.has_terminal = explain->has_terminal,
	};
	struct decision decision = { .has_profile = false };
	struct err err = { "" };
	char dir[600];
	int status;

	if (request_parse(&decision.request, &input, &err) || account_by_name(&decision.account, explain->user, &err)) {
		fprintf(stderr, "stockade: %s\n", err.text);
		close(load.root_fd);
		return 1;
	}
	decision_make(&decision, &options);
	if (decision.has_profile)
		snprintf(dir, sizeof(dir), "%s/%s/SESSION", decision.profile.tmp_dir ? decision.profile.tmp_dir : "", explain->user);
	if (decision.plan.reason == REASON_NONE)
		decision_plan(&decision, "SESSION", no_fds, dir, -1);
	if (explain->is_json)
		explain_json(&decision);
	else if (explain->is_script)
		explain_script(&decision);
	else
		show_all(&decision);
	status = plan_status(&decision.plan);
	decision_release(&decision);
	close(load.root_fd);
	return status;
}

static int usage(void)
{
	fprintf(stderr, "usage: stockade explain USER [--actor NAME] [--tty] [--json | --script] [-- COMMAND...]\n");
	return USAGE_STATUS;
}

/* ssh(1) joins its words with one blank, so do we. */
static int join_command(struct explain *explain, int argc, char *argv[])
{
	size_t len = 1;
	char *end;

	for (int i = 0; i < argc; i++)
		len += strlen(argv[i]) + 1;
	end = explain->command = calloc(1, len);
	for (int i = 0; end && i < argc; i++) {
		if (i)
			*end++ = ' ';
		end = stpcpy(end, argv[i]);
	}
	return end ? 0 : -1;
}

int explain_main(int argc, char *argv[])
{
	struct explain explain = { 0 };
	int i, status;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--tty") == 0)
			explain.has_terminal = true;
		else if (strcmp(argv[i], "--json") == 0)
			explain.is_json = true;
		else if (strcmp(argv[i], "--script") == 0)
			explain.is_script = true;
		else if (strcmp(argv[i], "--actor") == 0 && i + 1 < argc)
			explain.actor = argv[++i];
		else if (argv[i][0] != '-' && !explain.user)
			explain.user = argv[i];
		else
			return usage();
	}
	if (!explain.user)
		return usage();
	if (i + 1 < argc && join_command(&explain, argc - i - 1, argv + i + 1))
		return 1;
	status = explain_request(&explain);
	free(explain.command);
	return status;
}

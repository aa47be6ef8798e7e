/* SPDX-License-Identifier: ISC */
/*
 * A request from profile text to plan, with facts that are made up: the account is build (1001), the host has
 * merged /usr, 8 GiB and no swap, and everything the profile names is there and as it should be. A test changes
 * what it is about between fixture_open() and fixture_decide().
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "argv.h"
#include "ini.h"
#include "plan.h"
#include "profile.h"
#include "request.h"
#include "rules.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FIXTURE_WORKSPACE "[workspace]\npath = /srv/build\n"
#define FIXTURE_MEMORY (8ull << 30)

struct fixture {
	struct account account;
	gid_t gids[2];
	struct profile profile;
	struct request request;
	struct verdict verdict;
	struct facts facts;
	struct plan_input input;
	struct plan plan;
	int private_fds[PRIVATE_COUNT];
	struct strv client_env;
	struct strv argv, bwrap;
};

/* The rows of the text on top of what is there. */
static inline int fixture_apply(struct profile *profile, const char *name, const char *text, enum profile_layer layer, struct err *err)
{
	_cleanup_ini_rows_ struct ini_rows rows = INI_ROWS_INIT;
	int r = ini_parse(name, text, strlen(text), &rows, err);

	return r ? r : profile_apply(profile, &rows, layer, err);
}

static inline void fixture_account(struct fixture *f)
{
	f->gids[0] = 1001;
	f->gids[1] = 2000;
	f->account = (struct account){ .uid = 1001, .gid = 1001, .name = (char *)"build", .group = (char *)"build",
		.home = (char *)"/home/build", .gecos = (char *)"Build", .shell = (char *)"/bin/bash", .gids = f->gids };
	strv_add(&f->account.groups, "build");
	strv_add(&f->account.groups, "ci");
}

__attribute__((returns_nonnull))
static inline struct facts_source *fixture_source(struct fixture *f, const char *given)
{
	for (size_t i = 0; i < f->facts.sources_len; i++)
		if (strcmp(f->facts.sources[i].given, given) == 0)
			return &f->facts.sources[i];
	fail_msg("no source %s", given);
	abort();
}

/* Descriptors are numbers that nothing is behind: the plan lends them, and closes none. */
static inline struct facts_source *fixture_add(struct fixture *f, enum facts_use use, const char *prefix, const char *word)
{
	struct facts *facts = &f->facts;
	struct facts_source *item;
	bool is_optional = word[0] == '?';

	facts->sources = reallocarray(facts->sources, facts->sources_len + 1, sizeof(*facts->sources));
	assert_non_null(facts->sources);
	item = &facts->sources[facts->sources_len++];
	*item = (struct facts_source){ .use = use, .is_optional = is_optional || use == USE_ETC, .source = SOURCE_INIT };
	if (asprintf(&item->given, "%s%s", prefix, word + is_optional) < 0)
		fail();
	item->source.path = strdup(item->given);
	item->source.fd = 100 + (int)facts->sources_len;
	item->source.kind = use == USE_DEVICE ? SOURCE_DEVICE : SOURCE_DIR;
	item->source.mode = S_IFDIR | 0755;
	if (use == USE_WORKSPACE || use == USE_ALSO) {
		item->source.uid = 1001;
		item->source.gid = 1001;
	}
	return item;
}

static inline void fixture_add_all(struct fixture *f, enum facts_use use, const char *prefix, const struct strv *words)
{
	for (size_t i = 0; i < words->len; i++)
		fixture_add(f, use, prefix, words->items[i]);
}

static inline void fixture_mirrors(struct fixture *f)
{
	static const char *const paths[] = { "/bin", "/sbin", "/lib", "/lib64" };

	for (size_t i = 0; i < COUNT(paths); i++) {
		f->facts.mirrors[i].path = paths[i];
		snprintf(f->facts.mirrors[i].target, sizeof(f->facts.mirrors[i].target), "usr%s", paths[i]);
	}
	f->facts.mirrors_len = COUNT(paths);
}

static inline void fixture_masks(struct fixture *f)
{
	static const char *const masked[] = { "/home", "/root", "/run", "/tmp", "/var/tmp", "/var/log", "/var/spool", "/var/lib/stockade" };

	fixture_add(f, USE_USR, "", "/");
	for (size_t i = 0; i < COUNT(masked); i++)
		fixture_add(f, USE_MASK, "", masked[i]);
}

/* In the order that probe_facts() has. */
static inline void fixture_facts(struct fixture *f)
{
	const struct profile *profile = &f->profile;

	f->facts = (struct facts){ .hostname = "host", .memory_total = FIXTURE_MEMORY, .has_expand_environment = true,
		.runtime_dir = "/run/user/1001", .manager_cgroup = "/user.slice/user-1001.slice/user@1001.service", .has_locale = true, .has_workspace_point = true,
		.has_term = true };
	for (size_t i = 0; i < LIMITS_COUNT; i++)
		f->facts.hard_limits[i] = LIMIT_UNLIMITED;
	if (profile->root == ROOT_HOST) {
		fixture_masks(f);
	} else {
		fixture_add(f, USE_USR, "", "/usr");
		fixture_mirrors(f);
		fixture_add_all(f, USE_ETC, "/etc/", &profile->etc);
		if (profile->network == NETWORK_SLIRP)
			fixture_add(f, USE_ETC, "/etc/", "ssl");
	}
	fixture_add(f, USE_WORKSPACE, "", profile->workspace);
	fixture_add_all(f, USE_ALSO, "", &profile->also);
	fixture_add_all(f, USE_TOOLCHAIN, "", &profile->toolchains);
	fixture_add_all(f, USE_READ, "", &profile->read);
	fixture_add_all(f, USE_HIDE, "", &profile->hide);
	fixture_add_all(f, USE_DEVICE, "/dev/", &profile->devices);
	if (profile->sys == SYS_SIZED) {
		fixture_add(f, USE_SYS, "", "/sys/devices/system/cpu");
		fixture_add(f, USE_SYS, "", "/sys/kernel/mm/transparent_hugepage");
	} else if (profile->sys == SYS_HOST) {
		fixture_add(f, USE_SYS, "", "/sys");
	}
}

/* command NULL: a login. */
static inline void fixture_request(struct fixture *f, const char *command)
{
	static char *const argv[] = { (char *)"stockade-gateway", NULL };
	const struct request_input raw = { .argc = 1, .argv = argv, .original_command = command,
		.connection = "192.0.2.7 52214 198.51.100.1 22", .term = "xterm", .has_terminal = f->request.has_terminal };
	struct err err = { "" };

	assert_int_equal(request_parse(&f->request, &raw, &err), 0);
}

static inline void fixture_open(struct fixture *f, const char *profile_text)
{
	const struct profile_names names = { "build", "alice", "build", "/home/build" };
	struct err err = { "" };

	*f = (struct fixture){ .client_env = STRV_INIT };
	fixture_account(f);
	if (profile_init(&f->profile, &err) || fixture_apply(&f->profile, "/etc/stockade/profiles/build.ini", profile_text, LAYER_SITE, &err) ||
		profile_finish(&f->profile, "build.ini", &err) || profile_expand(&f->profile, &names, &err))
		fail_msg("%s", err.text);
	fixture_facts(f);
	fixture_request(f, "make");
	for (int i = 0; i < PRIVATE_COUNT; i++)
		f->private_fds[i] = -1;
}

/* Everything up to the plan, and its words where it runs. */
static inline void fixture_decide(struct fixture *f)
{
	const struct argv_fds none = ARGV_FDS_NONE;
	struct err err = { "" };

	if (rules_decide(&f->verdict, &f->profile, &f->request, &err))
		fail_msg("%s", err.text);
	f->input.account = &f->account;
	f->input.profile = &f->profile;
	f->input.request = &f->request;
	f->input.verdict = &f->verdict;
	f->input.facts = &f->facts;
	f->input.session = "k3v9q2m7";
	f->input.private_fds = f->private_fds;
	f->input.private_dir = "/var/lib/stockade/tmp/build/k3v9q2m7";
	f->input.client_env = (const char *const *)f->client_env.items;
	plan_admit(&f->plan, &f->input);
	if (f->plan.reason == REASON_NONE && plan_build(&f->plan, &f->input, &err))
		fail_msg("%s", err.text);
	if (f->plan.reason != REASON_NONE)
		return;
	if (argv_render(&f->argv, &f->plan, &f->input, &none, &err) || argv_render_bwrap(&f->bwrap, &f->plan, &f->input, &none, &err))
		fail_msg("%s", err.text);
}

static inline void fixture_close(struct fixture *f)
{
	for (size_t i = 0; i < f->facts.sources_len; i++) {
		free(f->facts.sources[i].given);
		free(f->facts.sources[i].source.path);
	}
	free(f->facts.sources);
	for (size_t i = 0; i < f->facts.network.names_len; i++)
		free(f->facts.network.names[i].name);
	free(f->facts.network.names);
	strv_release(&f->facts.network.own);
	plan_release(&f->plan);
	verdict_release(&f->verdict);
	profile_release(&f->profile);
	strv_release(&f->account.groups);
	strv_release(&f->client_env);
	strv_release(&f->argv);
	strv_release(&f->bwrap);
}

/* The whole way at once: what a profile makes of a command. */
static inline void fixture_run(struct fixture *f, const char *profile_text, const char *command)
{
	fixture_open(f, profile_text);
	fixture_request(f, command);
	fixture_decide(f);
}

/* Where the word stands in the vector, or fails. */
static inline size_t fixture_index(const struct strv *words, const char *word)
{
	for (size_t i = 0; i < words->len; i++)
		if (strcmp(words->items[i], word) == 0)
			return i;
	fail_msg("no word %s", word);
	return 0;
}

/* The operation on the path, the last one where there are several. */
static inline bool fixture_has_op(const struct fixture *f, const char *dest)
{
	for (size_t i = 0; i < f->plan.ops_len; i++)
		if (f->plan.ops[i].kind != OP_SEAL && strcmp(f->plan.ops[i].dest, dest) == 0)
			return true;
	return false;
}

__attribute__((returns_nonnull))
static inline const struct plan_op *fixture_op(const struct fixture *f, const char *dest)
{
	for (size_t i = f->plan.ops_len; i-- > 0;)
		if (f->plan.ops[i].kind != OP_SEAL && strcmp(f->plan.ops[i].dest, dest) == 0)
			return &f->plan.ops[i];
	fail_msg("no operation on %s", dest);
	abort();
}

static inline bool fixture_has_seal(const struct fixture *f, const char *dest)
{
	for (size_t i = 0; i < f->plan.ops_len; i++)
		if (f->plan.ops[i].kind == OP_SEAL && strcmp(f->plan.ops[i].dest, dest) == 0)
			return true;
	return false;
}

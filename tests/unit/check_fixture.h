/* SPDX-License-Identifier: ISC */
/* An account under check, on a host that is a directory of the test's own. */
#pragma once

#include "check.h"
#include "fixture.h"
#include "temp.h"

static inline void check_open(struct check *check, const struct temp *temp)
{
	struct account *account = &check->decision.account;

	*check = (struct check){ .root_fd = temp->fd, .user = "build", .sshd = CHECK_CONFIG_INIT, .has_account = true };
	account->uid = 1001;
	account->gid = 1001;
	account->name = strdup("build");
	account->group = strdup("build");
	account->home = strdup("/home/build");
	account->shell = strdup(STOCKADE_GATEWAY);
	account->gids = calloc(4, sizeof(gid_t));
	assert_non_null(account->gids);
	account->gids[0] = 1001;
	strv_add(&account->groups, "build");
}

/* The profile, as check_profile() leaves it. */
static inline void check_profile_text(struct check *check, const char *text)
{
	struct err err = { "" };

	if (profile_init(&check->profile, &err) || profile_init(&check->decision.profile, &err) ||
		fixture_apply(&check->profile, "/etc/stockade/profiles/build.ini", text, LAYER_SITE, &err) ||
		fixture_apply(&check->decision.profile, "/etc/stockade/profiles/build.ini", text, LAYER_SITE, &err))
		fail_msg("%s", err.text);
	check->has_profile = true;
	check->decision.has_profile = true;
}

static inline void check_sshd_text(struct check *check, const char *text)
{
	struct err err;

	check_config_release(&check->sshd);
	check->sshd = (struct check_config)CHECK_CONFIG_INIT;
	assert_int_equal(check_config_parse(&check->sshd, text, &err), 0);
}

static inline void check_forget(struct check *check)
{
	free(check->findings);
	check->findings = NULL;
	check->len = 0;
}

static inline size_t check_count(const struct check *check, enum check_id id)
{
	size_t count = 0;

	for (size_t i = 0; i < check->len; i++)
		count += check->findings[i].id == id;
	return count;
}

__attribute__((returns_nonnull))
static inline const struct check_finding *check_found(const struct check *check, enum check_id id)
{
	for (size_t i = 0; i < check->len; i++)
		if (check->findings[i].id == id)
			return &check->findings[i];
	fail_msg("no finding %s", check_table[id].name);
	abort();
}

static inline void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in \"%s\"", part, text);
}

#define need_root() \
	do { \
		if (getuid() != 0) \
			temp_skip("only root has files of root's"); \
	} while (0)

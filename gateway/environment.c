/* SPDX-License-Identifier: ISC */
/* Owns which variables exist inside; takes from the client only what [env] pass names. */
#include "environment.h"

#include <fnmatch.h>
#include <string.h>

/* Terminals that nobody's host lacks; a client's own kind is kept where its terminfo is there. */
#define TERM_FALLBACK "xterm-256color"

static bool has_name(const struct strv *env, const char *name, size_t len)
{
	for (size_t i = 0; i < env->len; i++)
		if (strncmp(env->items[i], name, len) == 0 && env->items[i][len] == '=')
			return true;
	return false;
}

static bool is_passed(const struct strv *patterns, const char *assignment)
{
	char name[128];
	size_t len = strcspn(assignment, "=");

	if (len == 0 || len >= sizeof(name) || assignment[len] != '=')
		return false;
	memcpy(name, assignment, len);
	name[len] = '\0';
	for (size_t i = 0; i < patterns->len; i++)
		if (fnmatch(patterns->items[i], name, 0) == 0)
			return true;
	return false;
}

/* First come, first kept: the fixed names, then the profile's, then the client's. */
static void add_once(struct strv *env, const char *assignment)
{
	if (!has_name(env, assignment, strcspn(assignment, "=")))
		strv_add(env, assignment);
}

int environment_build(struct plan *plan, const struct plan_input *input, struct err *err)
{
	const struct profile *profile = input->profile;
	const char *locale = input->facts->has_locale ? profile->locale : "C.UTF-8";
	struct strv *env = &plan->env;

	strv_addf(env, "PATH=%s", profile->path);
	strv_addf(env, "HOME=%s", plan->home);
	strv_addf(env, "USER=%s", input->account->name);
	strv_addf(env, "LOGNAME=%s", input->account->name);
	strv_addf(env, "SHELL=%s", profile->login_shell);
	strv_add(env, "TMPDIR=/tmp");
	strv_addf(env, "PWD=%s", plan->cwd);
	strv_addf(env, "STOCKADE_SESSION=%s", input->session);
	if (plan->has_terminal)
		strv_addf(env, "TERM=%s", input->facts->has_term ? input->request->term : TERM_FALLBACK);
	for (size_t i = 0; i < profile->env_set.len; i++)
		add_once(env, profile->env_set.items[i]);
	for (size_t i = 0; input->client_env && input->client_env[i]; i++)
		if (is_passed(&profile->env_pass, input->client_env[i]))
			add_once(env, input->client_env[i]);
	/* Last, so that a profile may let the client choose: [env] pass = LANG LC_ALL. */
	if (!has_name(env, "LANG", 4))
		strv_addf(env, "LANG=%s", locale);
	if (!has_name(env, "LC_ALL", 6))
		strv_addf(env, "LC_ALL=%s", locale);
	return strv_finish(env, err);
}

/* SPDX-License-Identifier: ISC */
/* Owns the order in which a request is judged; each judgement is elsewhere. */
#include "decision.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe.h"

void decision_release(struct decision *decision)
{
	plan_release(&decision->plan);
	facts_release(&decision->facts);
	verdict_release(&decision->verdict);
	if (decision->has_profile)
		profile_release(&decision->profile);
	identity_release(&decision->identity);
	account_release(&decision->account);
}

static int load_all(struct decision *decision, const struct decision_options *options, struct err *err)
{
	struct profile *profile = &decision->profile;
	int r = profile_init(profile, err);
	const char *actor;

	decision->has_profile = true;
	if (r == 0)
		r = load_profile(profile, options->load, &decision->account, err);
	if (r == 0)
		r = identity_parse(&decision->identity, options->auth ? options->auth : "", err);
	if (r)
		return r;
	actor = decision->request.as ? decision->request.as : options->actor;
	if (!actor)
		actor = identity_actor(&decision->identity, &profile->actors);
	if (actor) {
		snprintf(decision->actor, sizeof(decision->actor), "%s", actor);
		r = load_actor(profile, options->load, decision->account.name, decision->actor, err);
	}
	return r ? r : profile_finish(profile, profile->files.items[profile->files.len - 1], err);
}

static int look(struct decision *decision, const struct decision_options *options, struct err *err)
{
	const struct profile_names names = { decision->account.name, decision->actor[0] ? decision->actor : NULL,
		decision->account.group, decision->account.home };
	int r = profile_expand(&decision->profile, &names, err);

	if (r) {
		plan_refuse(&decision->plan, REASON_PROFILE, "profile", err->text);
		return 0;
	}
	decision->facts.lost = options->lost;
	if (options->lost)
		snprintf(decision->facts.lost_why, sizeof(decision->facts.lost_why), "found when the connection was opened");
	return probe_facts(&decision->facts, &decision->profile, &decision->account, decision->request.term,
		options->is_login_assumed, err);
}

static int decide_selftest(struct decision *decision, struct err *err)
{
	decision->verdict = (struct verdict){ .is_allowed = true, .kind = REQUEST_EXEC, .argv = STRV_INIT };
	strv_add_all(&decision->verdict.argv, (const char *const[]){ "/bin/sh", "-c", decision->request.text, NULL });
	return strv_finish(&decision->verdict.argv, err);
}

void decision_make(struct decision *decision, const struct decision_options *options)
{
	struct err err = { "" };

	if (load_all(decision, options, &err)) {
		plan_refuse(&decision->plan, REASON_PROFILE, "profile", err.text);
		return;
	}
	if (options->is_selftest ? decide_selftest(decision, &err) :
				   rules_decide(&decision->verdict, &decision->profile, &decision->request, &err)) {
		plan_refuse(&decision->plan, REASON_BUSY, "rules", err.text);
		return;
	}
	decision->input = (struct plan_input){
		.account = &decision->account,
		.profile = &decision->profile,
		.request = &decision->request,
		.verdict = &decision->verdict,
		.facts = &decision->facts,
		.actor = decision->actor[0] ? decision->actor : NULL,
		.client_env = options->client_env,
		/* What only a login gives cannot be there before one. */
		.has_connection_size = options->has_connection_size ||
			((options->is_login_assumed || options->is_selftest) && decision->profile.backing == BACKING_DISK),
	};
	if (!options->is_selftest)
		plan_admit(&decision->plan, &decision->input);
	if (decision->plan.reason == REASON_NONE && look(decision, options, &err))
		plan_refuse(&decision->plan, REASON_BUSY, "probe", err.text);
}

void decision_plan(struct decision *decision, const char *session, const int *private_fds, const char *private_dir, int signal_fd)
{
	struct err err = { "" };

	decision->input.session = session;
	decision->input.private_fds = private_fds;
	decision->input.private_dir = private_dir;
	/* Here and not with the other facts: it can take long, which only a run that has its place may. */
	if (decision->profile.network == NETWORK_SLIRP && !decision->facts.network.is_known)
		probe_network(&decision->facts, &decision->profile, signal_fd);
	if (plan_build(&decision->plan, &decision->input, &err))
		plan_refuse(&decision->plan, REASON_BUSY, "plan", err.text);
}

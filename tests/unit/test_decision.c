/* SPDX-License-Identifier: ISC */
/* The order in which a request is judged, with profiles in a directory and the facts of this machine. */
#include "decision.h"

#include "temp.h"

#define ETC "etc/stockade"
#define BASE "[workspace]\npath = /srv/build\naccess = none\n"
#define ANY_GRADE "[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n"
/* Any program that is root's will do: nothing is started. */
#define TOOLS "[tools]\nbwrap = /usr/bin/env\nprlimit = /usr/bin/env\nsetsid = /usr/bin/env\nsystemd_run = /nonexistent/run\n"

struct made {
	struct load load;
	struct decision decision;
};

static void request(struct made *made, const char *command, const char *as)
{
	char *const argv[] = { (char *)"stockade-gateway", (char *)"--as", (char *)as, NULL };
	const struct request_input input = { .argc = as ? 3 : 1, .argv = argv, .original_command = command };

	assert_int_equal(request_parse(&made->decision.request, &input, &(struct err){ "" }), 0);
}

static void make(struct made *made, const struct temp *temp, const char *command, const char *as)
{
	const struct decision_options options = { .load = &made->load };

	memset(&made->decision, 0, sizeof(made->decision));
	made->load = (struct load){ .root_fd = temp->fd, .dir = "/" ETC, .owner = geteuid() };
	assert_int_equal(account_by_uid(&made->decision.account, geteuid(), &(struct err){ "" }), 0);
	free(made->decision.account.name);
	made->decision.account.name = strdup("build");
	request(made, command, as);
	decision_make(&made->decision, &options);
}

static void write_profile(const struct temp *temp, const char *text)
{
	temp_dir(temp, ETC "/profiles/build.d");
	temp_file(temp, ETC "/stockade.ini", TOOLS, 0644);
	temp_file(temp, ETC "/profiles/build.ini", text, 0644);
}

static void assert_reason(const struct temp *temp, const char *command, enum plan_reason reason, const char *detail)
{
	struct made made;

	make(&made, temp, command, NULL);
	if (made.decision.plan.reason != reason || !strstr(made.decision.plan.detail, detail))
		fail_msg("%s: %s", plan_reason_name(made.decision.plan.reason), made.decision.plan.detail);
	decision_release(&made.decision);
}

static void without_a_profile_the_request_is_refused(void **state)
{
	const struct temp *temp = *state;

	temp_dir(temp, ETC "/profiles");
	assert_reason(temp, "make", REASON_PROFILE, "no profile for user build");
}

static void a_broken_profile_refuses_whatever_is_asked(void **state)
{
	const struct temp *temp = *state;

	write_profile(temp, BASE "[profile]\nenabled = maybe\n");
	assert_reason(temp, "make", REASON_PROFILE, "build.ini:5: [profile] enabled");
	write_profile(temp, "[time]\ngrace = 1s\n");
	assert_reason(temp, NULL, REASON_PROFILE, "[workspace] path: must be given");
}

static void a_refusal_by_the_profile_comes_before_any_look_at_the_host(void **state)
{
	const struct temp *temp = *state;
	struct made made;

	write_profile(temp, BASE "[profile]\nenabled = no\n");
	make(&made, temp, "make", NULL);
	assert_int_equal(made.decision.plan.reason, REASON_DISABLED);
	assert_int_equal(made.decision.facts.sources_len, 0);
	decision_release(&made.decision);
	write_profile(temp, BASE "[allow]\nls = ls\n");
	make(&made, temp, "make", NULL);
	assert_int_equal(made.decision.plan.reason, REASON_RULE);
	assert_int_equal(made.decision.facts.sources_len, 0);
	decision_release(&made.decision);
}

static void a_path_that_names_the_actor_needs_one(void **state)
{
	const struct temp *temp = *state;
	struct made made;

	write_profile(temp, "[workspace]\npath = /srv/%a\naccess = none\n" ANY_GRADE);
	assert_reason(temp, "make", REASON_PROFILE, "names the actor, and this request has none");
	make(&made, temp, "make", "alice");
	assert_int_equal(made.decision.plan.reason, REASON_NONE);
	assert_string_equal(made.decision.profile.workspace, "/srv/alice");
	assert_string_equal(made.decision.input.actor, "alice");
	decision_release(&made.decision);
}

static void the_actors_file_has_its_say(void **state)
{
	const struct temp *temp = *state;
	struct made made;

	write_profile(temp, BASE ANY_GRADE);
	temp_file(temp, ETC "/profiles/build.d/alice.ini", "[profile]\nenabled = no\nmessage = not today\n", 0644);
	make(&made, temp, "make", "alice");
	assert_int_equal(made.decision.plan.reason, REASON_DISABLED);
	assert_string_equal(made.decision.plan.sentence, "not today");
	decision_release(&made.decision);
	make(&made, temp, "make", "bob");
	assert_int_equal(made.decision.plan.reason, REASON_NONE);
	decision_release(&made.decision);
}

static void an_admitted_request_gets_its_plan(void **state)
{
	const int no_fds[PRIVATE_COUNT] = { -1, -1, -1, -1, -1 };
	const struct temp *temp = *state;
	struct made made;

	write_profile(temp, BASE ANY_GRADE);
	make(&made, temp, "make", NULL);
	if (made.decision.plan.reason != REASON_NONE)
		fail_msg("%s", made.decision.plan.detail);
	assert_int_equal(made.decision.plan.ops_len, 0);
	decision_plan(&made.decision, "k3v9q2m7", no_fds, "/x", -1);
	if (made.decision.plan.reason != REASON_NONE)
		fail_msg("%s", made.decision.plan.detail);
	assert_int_equal(made.decision.plan.grade, GRADE_PARTIAL);
	assert_true(made.decision.plan.ops_len > 10);
	assert_string_equal(made.decision.plan.command.items[2], "make");
	decision_release(&made.decision);
}

static void a_host_without_limits_is_refused_where_they_are_required(void **state)
{
	const int no_fds[PRIVATE_COUNT] = { -1, -1, -1, -1, -1 };
	const struct temp *temp = *state;
	struct made made;

	write_profile(temp, BASE);
	make(&made, temp, "make", NULL);
	decision_plan(&made.decision, "k3v9q2m7", no_fds, "/x", -1);
	assert_int_equal(made.decision.plan.reason, REASON_GRADE);
	assert_non_null(strstr(made.decision.plan.detail, "/nonexistent/run"));
	decision_release(&made.decision);
}

static void names_are_asked_for_with_the_plan_and_once(void **state)
{
	const int no_fds[PRIVATE_COUNT] = { -1, -1, -1, -1, -1 };
	const struct temp *temp = *state;
	struct made made;

	write_profile(temp, BASE ANY_GRADE "[network]\nmode = slirp\nallow = localhost:80\n");
	temp_file(temp, ETC "/stockade.ini", TOOLS "slirp4netns = /usr/bin/env\nnft = /usr/bin/env\n", 0644);
	make(&made, temp, "make", NULL);
	assert_int_equal(made.decision.plan.reason, REASON_NONE);
	assert_false(made.decision.facts.network.is_known);
	assert_int_equal(made.decision.facts.network.names_len, 0);
	decision_plan(&made.decision, "k3v9q2m7", no_fds, "/x", -1);
	if (made.decision.plan.reason != REASON_NONE)
		fail_msg("%s", made.decision.plan.detail);
	assert_int_equal(made.decision.facts.network.names_len, 1);
	plan_release(&made.decision.plan);
	decision_plan(&made.decision, "k3v9q2m7", no_fds, "/x", -1);
	assert_int_equal(made.decision.facts.network.names_len, 1);
	decision_release(&made.decision);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(without_a_profile_the_request_is_refused),
		temp_test(a_broken_profile_refuses_whatever_is_asked),
		temp_test(a_refusal_by_the_profile_comes_before_any_look_at_the_host),
		temp_test(a_path_that_names_the_actor_needs_one),
		temp_test(the_actors_file_has_its_say),
		temp_test(an_admitted_request_gets_its_plan),
		temp_test(a_host_without_limits_is_refused_where_they_are_required),
		temp_test(names_are_asked_for_with_the_plan_and_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

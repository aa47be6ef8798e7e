/* SPDX-License-Identifier: ISC */
#include "environment.h"

#include "fixture.h"

static const char *value_of(const struct fixture *f, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < f->plan.env.len; i++)
		if (strncmp(f->plan.env.items[i], name, len) == 0 && f->plan.env.items[i][len] == '=')
			return f->plan.env.items[i] + len + 1;
	return NULL;
}

static void assert_variable(const struct fixture *f, const char *name, const char *value)
{
	const char *found = value_of(f, name);

	if (!value && found)
		fail_msg("%s is %s", name, found);
	if (value && (!found || strcmp(found, value) != 0))
		fail_msg("%s is %s, not %s", name, found ? found : "not there", value);
}

static void without_settings_the_environment_is_the_fixed_ten_names(void **state)
{
	static const char *const names[] = { "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "LC_ALL", "PWD", "STOCKADE_SESSION" };
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE);
	strv_add(&f.client_env, "EVIL=1");
	strv_add(&f.client_env, "SSH_CONNECTION=x");
	strv_add(&f.client_env, "LD_PRELOAD=/tmp/x.so");
	fixture_decide(&f);
	assert_int_equal(f.plan.env.len, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++)
		assert_non_null(value_of(&f, names[i]));
	assert_variable(&f, "PATH", "/usr/local/bin:/usr/bin:/bin");
	assert_variable(&f, "HOME", "/home/build");
	assert_variable(&f, "USER", "build");
	assert_variable(&f, "LOGNAME", "build");
	assert_variable(&f, "SHELL", "/bin/bash");
	assert_variable(&f, "TMPDIR", "/tmp");
	assert_variable(&f, "PWD", "/srv/build");
	assert_variable(&f, "STOCKADE_SESSION", "k3v9q2m7");
	assert_variable(&f, "LANG", "C.UTF-8");
	assert_variable(&f, "LC_ALL", "C.UTF-8");
	fixture_close(&f);
}

static void only_passed_names_of_the_client_enter(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[env]\npass = CI_* JOB\n");
	strv_add(&f.client_env, "CI_NODE=3");
	strv_add(&f.client_env, "CI_=4");
	strv_add(&f.client_env, "CI=5");
	strv_add(&f.client_env, "JOB=a=b c\n");
	strv_add(&f.client_env, "JOBS=6");
	strv_add(&f.client_env, "XJOB=7");
	strv_add(&f.client_env, "CI_BARE");
	strv_add(&f.client_env, "=x");
	strv_add(&f.client_env, "CI_NODE=again");
	fixture_decide(&f);
	assert_int_equal(f.plan.env.len, 13);
	assert_variable(&f, "CI_NODE", "3");
	assert_variable(&f, "CI_", "4");
	assert_variable(&f, "JOB", "a=b c\n");
	assert_variable(&f, "CI", NULL);
	assert_variable(&f, "JOBS", NULL);
	assert_variable(&f, "XJOB", NULL);
	fixture_close(&f);
}

static void fixed_names_stand_above_the_profile_and_that_above_the_client(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[env]\nset = \"USER=root PWD=/ MODE=set\"\npass = USER SHELL LOGNAME PWD MODE\n");
	strv_add(&f.client_env, "USER=evil");
	strv_add(&f.client_env, "SHELL=/tmp/sh");
	strv_add(&f.client_env, "LOGNAME=evil");
	strv_add(&f.client_env, "PWD=/tmp");
	strv_add(&f.client_env, "MODE=client");
	fixture_decide(&f);
	assert_variable(&f, "USER", "build");
	assert_variable(&f, "LOGNAME", "build");
	assert_variable(&f, "SHELL", "/bin/bash");
	assert_variable(&f, "PWD", "/srv/build");
	assert_variable(&f, "MODE", "set");
	assert_int_equal(f.plan.env.len, 11);
	fixture_close(&f);
}

static void no_name_stands_twice(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[env]\nset = \"A=1 A=2 AB=3\"\npass = A AB\n");
	strv_add(&f.client_env, "A=4");
	strv_add(&f.client_env, "AB=5");
	fixture_decide(&f);
	assert_variable(&f, "A", "1");
	assert_variable(&f, "AB", "3");
	assert_int_equal(f.plan.env.len, 12);
	fixture_close(&f);
}

static void a_name_too_long_to_be_matched_does_not_enter(void **state)
{
	char assignment[300] = "CI_";
	struct fixture f;

	(void)state;
	memset(assignment + 3, 'A', 200);
	strcpy(assignment + 203, "=x");
	fixture_open(&f, FIXTURE_WORKSPACE "[env]\npass = CI_*\n");
	strv_add(&f.client_env, assignment);
	fixture_decide(&f);
	assert_int_equal(f.plan.env.len, 10);
	fixture_close(&f);
}

static void a_client_chooses_the_locale_only_where_it_may(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[env]\nlocale = de_DE.UTF-8\n");
	strv_add(&f.client_env, "LANG=fr_FR.UTF-8");
	fixture_decide(&f);
	assert_variable(&f, "LANG", "de_DE.UTF-8");
	assert_variable(&f, "LC_ALL", "de_DE.UTF-8");
	fixture_close(&f);
	fixture_open(&f, FIXTURE_WORKSPACE "[env]\npass = LANG\n");
	strv_add(&f.client_env, "LANG=fr_FR.UTF-8");
	fixture_decide(&f);
	assert_variable(&f, "LANG", "fr_FR.UTF-8");
	assert_variable(&f, "LC_ALL", "C.UTF-8");
	fixture_close(&f);
}

static void a_locale_the_host_lacks_becomes_c_utf8(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[env]\nlocale = xx_XX\n");
	f.facts.has_locale = false;
	fixture_decide(&f);
	assert_variable(&f, "LANG", "C.UTF-8");
	assert_variable(&f, "LC_ALL", "C.UTF-8");
	fixture_close(&f);
}

static void term_is_there_with_a_terminal_only_and_known_to_the_host(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE);
	f.request.has_terminal = true;
	fixture_request(&f, NULL);
	fixture_decide(&f);
	assert_variable(&f, "TERM", "xterm");
	assert_int_equal(f.plan.env.len, 11);
	fixture_close(&f);
	fixture_open(&f, FIXTURE_WORKSPACE);
	f.request.has_terminal = true;
	fixture_request(&f, NULL);
	f.facts.has_term = false;
	fixture_decide(&f);
	assert_variable(&f, "TERM", "xterm-256color");
	fixture_close(&f);
}

static void home_is_the_workspace_where_the_profile_says_so(void **state)
{
	struct fixture f;

	(void)state;
	fixture_run(&f, "[workspace]\npath = /srv/build\nhome = workspace\nmount = /workspace\n", "make");
	assert_variable(&f, "HOME", "/workspace");
	assert_variable(&f, "PWD", "/workspace");
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_settings_the_environment_is_the_fixed_ten_names),
		cmocka_unit_test(only_passed_names_of_the_client_enter),
		cmocka_unit_test(fixed_names_stand_above_the_profile_and_that_above_the_client),
		cmocka_unit_test(no_name_stands_twice),
		cmocka_unit_test(a_name_too_long_to_be_matched_does_not_enter),
		cmocka_unit_test(a_client_chooses_the_locale_only_where_it_may),
		cmocka_unit_test(a_locale_the_host_lacks_becomes_c_utf8),
		cmocka_unit_test(term_is_there_with_a_terminal_only_and_known_to_the_host),
		cmocka_unit_test(home_is_the_workspace_where_the_profile_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

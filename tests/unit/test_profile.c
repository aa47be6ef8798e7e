/* SPDX-License-Identifier: ISC */
#include "profile.h"

#include <errno.h>
#include <limits.h>

#include "fixture.h"

#define KEY "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

/* Applies and finishes the text as the account's file; fails unless that works. */
static void load_text(struct profile *profile, const char *text)
{
	struct err err = { "" };

	if (profile_init(profile, &err) || fixture_apply(profile, "p.ini", text, LAYER_ACCOUNT, &err) || profile_finish(profile, "p.ini", &err))
		fail_msg("%s", err.text);
}

static int try_text(const char *text, enum profile_layer layer, struct err *err)
{
	struct profile profile;
	int r = profile_init(&profile, err);

	if (r == 0)
		r = fixture_apply(&profile, "p.ini", text, layer, err);
	if (r == 0)
		r = profile_finish(&profile, "p.ini", err);
	profile_release(&profile);
	return r;
}

static void assert_refuses(const char *text, const char *sentence)
{
	struct err err = { "" };

	if (try_text(text, LAYER_ACCOUNT, &err) >= 0)
		fail_msg("taken: %s", text);
	if (strncmp(err.text, sentence, strlen(sentence)) != 0)
		fail_msg("wanted: %s\ngot: %s", sentence, err.text);
}

static void built_in_defaults_are_those_of_the_contract(void **state)
{
	struct profile profile;

	(void)state;
	load_text(&profile, FIXTURE_WORKSPACE);
	assert_int_equal(profile.enabled, 1);
	assert_int_equal(profile.min_grade, MIN_GRADE_FULL);
	assert_int_equal(profile.access, ACCESS_WRITE);
	assert_int_equal(profile.home, HOME_SESSION);
	assert_int_equal(profile.root, ROOT_MINIMAL);
	assert_int_equal(profile.enforce, ENFORCE_REQUIRED);
	assert_int_equal(profile.sftp, SFTP_YES);
	assert_int_equal(profile.interactive, INTERACTIVE_YES);
	assert_string_equal(profile.shell, "/bin/sh");
	assert_string_equal(profile.login_shell, "/bin/bash");
	assert_int_equal(profile.limits[limits_find("nofile")], 4096);
	assert_int_equal(profile.limits[limits_find("core")], 0);
	for (int i = 0; i < LIMITS_COUNT; i++)
		if (i != limits_find("nofile") && i != limits_find("core"))
			assert_true(profile.limits[i] == LIMIT_UNSET);
	assert_int_equal(profile_bytes(&profile.memory_max, 1000), 500);
	assert_int_equal(profile_bytes(&profile.swap_max, 1000), 0);
	assert_int_equal(profile.tasks_max, 1024);
	assert_int_equal(profile.timeout, 12 * 3600);
	assert_int_equal(profile.sessions_max, 64);
	assert_int_equal(profile.actor_sessions_max, 8);
	assert_int_equal(profile.grace, 10);
	profile_release(&profile);
}

static void every_kind_of_wrong_row_refuses_the_whole_profile_at_its_place(void **state)
{
	(void)state;
	assert_refuses("[workspace]\npath = /srv\n[nonsense]\na = b\n", "p.ini:4: [nonsense] a: no such section");
	assert_refuses("[workspace]\npaht = /srv\n", "p.ini:2: [workspace] paht: no such key");
	assert_refuses("[workspace]\npath = srv\n", "p.ini:2: [workspace] path: \"srv\" is not an absolute path");
	assert_refuses("[workspace]\n\naccess = all\n", "p.ini:3: [workspace] access: \"all\" is not understood; accepted: write read none");
	assert_refuses("[limits]\nnofil = 5\n", "p.ini:2: [limits] nofil: no such limit");
	assert_refuses("[limits]\nnofile = 4k6\n", "p.ini:2: [limits] nofile: \"4k6\" is not a number");
	assert_refuses("[allow]\nmake =\n", "p.ini:2: [allow] make: is empty");
	assert_refuses("[allow]\nmake = 'x\n", "p.ini:2: [allow] make: ");
	assert_refuses("[tools]\nbwrap = /usr/bin/bwrap\n", "p.ini:2: [tools] bwrap: may stand in stockade.ini only");
}

static void a_rule_without_a_word_is_refused(void **state)
{
	(void)state;
	assert_refuses(FIXTURE_WORKSPACE "[allow]\nmake = \" \"\n", "p.ini:4: [allow] make: is empty");
	assert_refuses(FIXTURE_WORKSPACE "[allow]\na = b\n[deny]\nmake = \"  \"\n", "p.ini:6: [deny] make: is empty");
	assert_refuses(FIXTURE_WORKSPACE "[menu]\nmake = \" \"\n", "p.ini:4: [menu] make: is empty");
}

static void what_only_the_whole_can_show_is_refused_with_its_origin(void **state)
{
	(void)state;
	assert_refuses("[time]\ngrace = 5s\n", "p.ini: [workspace] path: must be given");
	assert_refuses(FIXTURE_WORKSPACE "[deny]\nx = rm ...\n", "p.ini:4: [deny] x: stands without [allow]");
	assert_refuses(FIXTURE_WORKSPACE "[deny]\nx = rm ...\n[menu]\na = b\n", "p.ini:4: [deny] x: stands without [allow]");
	assert_refuses(FIXTURE_WORKSPACE "[tmp]\nsize = 1G\nmode = command\n", "p.ini:4: [tmp] size: with backing = disk is of a whole connection");
	assert_refuses(FIXTURE_WORKSPACE "[tmp]\ndir =\n", "p.ini:4: [tmp] dir: must not be empty");
	assert_refuses(FIXTURE_WORKSPACE "[command]\nshell = sh\n", "p.ini:4: [command] shell: is not an absolute path");
	assert_refuses(FIXTURE_WORKSPACE "[command]\nshell =\n", "p.ini:4: [command] shell: ");
	assert_refuses(FIXTURE_WORKSPACE "[command]\nlogin_shell = bash\n", "p.ini:4: [command] login_shell: is not an absolute path");
	assert_refuses(FIXTURE_WORKSPACE "[env]\npath = /bin:bin\n", "p.ini:4: [env] path: is not a list of absolute directories");
	assert_refuses(FIXTURE_WORKSPACE "[env]\npath = /bin:\n", "p.ini:4: [env] path: is not a list of absolute directories");
	assert_refuses(FIXTURE_WORKSPACE "[env]\npath = /usr/../tmp/x\n", "p.ini:4: [env] path: is not a list of absolute directories");
	assert_refuses(FIXTURE_WORKSPACE "[env]\nlocale = ../x\n", "p.ini:4: [env] locale: is not a locale's name");
	assert_refuses(FIXTURE_WORKSPACE "[env]\nlocale = .x\n", "p.ini:4: [env] locale: is not a locale's name");
	assert_refuses(FIXTURE_WORKSPACE "[seccomp]\nallow = ptrace all\n", "p.ini:4: [seccomp] allow: \"all\" is not understood");
	assert_refuses(FIXTURE_WORKSPACE "[seccomp]\ndeny = mkdir nosuchcall\n", "p.ini:4: [seccomp] deny: \"nosuchcall\" is not the name of a system call");
	assert_refuses(FIXTURE_WORKSPACE "[actors]\nalice = SHA256:short\n", "p.ini:4: [actors] alice: \"SHA256:short\" is not a key's");
	assert_refuses(FIXTURE_WORKSPACE "[actors]\nalice = SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", "p.ini:4: [actors] alice: ");
	assert_refuses(FIXTURE_WORKSPACE "[actors]\nalice = " KEY "A\n", "p.ini:4: [actors] alice: ");
	assert_refuses(FIXTURE_WORKSPACE "[actors]\nalice = " KEY "=\n", "p.ini:4: [actors] alice: ");
	assert_refuses(FIXTURE_WORKSPACE "[actors]\nalice = " KEY ":\n", "p.ini:4: [actors] alice: ");
}

static void fingerprints_of_keys_and_of_a_ca_with_principal_are_taken(void **state)
{
	struct err err = { "" };

	(void)state;
	assert_int_equal(try_text(FIXTURE_WORKSPACE "[actors]\nalice = " KEY " " KEY ":alice\n", LAYER_ACCOUNT, &err), 0);
}

static void words_of_the_network_are_checked_where_they_stand(void **state)
{
	struct err err = { "" };

	(void)state;
	assert_int_equal(try_text(FIXTURE_WORKSPACE "[network]\nmode = slirp\nallow = build.example:443 192.0.2.0/24 *:80\ndns = 192.0.2.53\n",
				 LAYER_ACCOUNT, &err), 0);
	assert_refuses(FIXTURE_WORKSPACE "[network]\nallow = build.example\n", "p.ini:4: [network] allow: \"build.example\" is not understood");
	assert_refuses(FIXTURE_WORKSPACE "[network]\nallow = 2001:db8::/32\n", "p.ini:4: [network] allow: \"2001:db8::/32\" is not understood; accepted, IPv4 only");
	assert_refuses(FIXTURE_WORKSPACE "[network]\ndns = resolver.example\n", "p.ini:4: [network] dns: \"resolver.example\" is not an IPv4 address");
	assert_refuses(FIXTURE_WORKSPACE "[network]\ndns = 127.0.0.53\n", "p.ini:4: [network] dns: \"127.0.0.53\" is not an IPv4 address of a name server");
	assert_refuses(FIXTURE_WORKSPACE "[network]\nallow =\n", "p.ini:4: [network] allow: is empty");
}

static void an_actors_file_may_not_touch_account_log_and_actors(void **state)
{
	static const char *const closed[] = { "[account]\nsessions_max = 5", "[log]\ncommand = none", "[actors]\nbob = " KEY, "[profile]\nmin_grade = partial",
		"[profile]\ninherits = base", "[tools]\nbwrap = /x", "[tmp]\ndir = /x" };
	struct err err = { "" };

	(void)state;
	for (size_t i = 0; i < COUNT(closed); i++) {
		char text[200];

		snprintf(text, sizeof(text), FIXTURE_WORKSPACE "%s\n", closed[i]);
		if (try_text(text, LAYER_ACTOR, &err) != -EINVAL)
			fail_msg("taken: %s", closed[i]);
	}
	assert_int_equal(try_text(FIXTURE_WORKSPACE "[profile]\nenabled = no\nmessage = gone\n", LAYER_ACTOR, &err), 0);
}

static void the_sites_file_inherits_from_no_profile(void **state)
{
	struct err err = { "" };

	(void)state;
	assert_int_equal(try_text(FIXTURE_WORKSPACE "[profile]\ninherits = base\n", LAYER_ACCOUNT, &err), 0);
	assert_int_equal(try_text(FIXTURE_WORKSPACE "[profile]\ninherits = base\n", LAYER_SITE, &err), -EINVAL);
	assert_non_null(strstr(err.text, "p.ini:4: [profile] inherits: may stand in a profile only"));
}

static void the_rest_of_a_command_is_taken_by_a_last_word_only(void **state)
{
	(void)state;
	assert_refuses(FIXTURE_WORKSPACE "[allow]\nls = ls\nmake = make ... install\n", "p.ini:5: [allow] make: \"...\" takes the rest");
	assert_refuses(FIXTURE_WORKSPACE "[allow]\nmake = ... ...\n", "p.ini:4: [allow] make: \"...\" takes the rest");
	assert_refuses(FIXTURE_WORKSPACE "[allow]\nls = ls\n[deny]\nevil = make '...' x\n", "p.ini:6: [deny] evil: \"...\" takes the rest");
	assert_int_equal(try_text(FIXTURE_WORKSPACE "[allow]\nmake = make [.][.][.] a...b ...\n[menu]\nx = echo ... y\n", LAYER_ACCOUNT, &(struct err){ "" }), 0);
}

static void a_later_layer_replaces_scalars_and_lists_and_merges_entries(void **state)
{
	struct profile profile;
	struct err err = { "" };

	(void)state;
	assert_int_equal(profile_init(&profile, &err), 0);
	assert_int_equal(fixture_apply(&profile, "a.ini",
		"[view]\nread = /srv/a /srv/b\n[time]\ngrace = 1s\n[allow]\nmake = make ...\nls = ls\n[limits]\nnproc = 5\nnofile = 10\n", LAYER_SITE, &err), 0);
	assert_int_equal(fixture_apply(&profile, "b.ini",
		"[view]\nread = /srv/c\n[time]\ngrace = 2s\n[allow]\nmake = make all\nid = id\n[limits]\nnofile = unlimited\n", LAYER_ACCOUNT, &err), 0);
	assert_int_equal(profile.read.len, 1);
	assert_string_equal(profile.read.items[0], "/srv/c");
	assert_int_equal(profile.grace, 2);
	assert_int_equal(profile.allow.len, 3);
	assert_string_equal(profile.allow.items[0].name, "make");
	assert_string_equal(profile.allow.items[0].text, "make all");
	assert_string_equal(profile.allow.items[0].file, "b.ini");
	assert_int_equal(profile.allow.items[0].line, 6);
	assert_string_equal(profile.allow.items[1].file, "a.ini");
	assert_string_equal(profile.allow.items[2].name, "id");
	assert_int_equal(profile.limits[limits_find("nproc")], 5);
	assert_true(profile.limits[limits_find("nofile")] == LIMIT_UNLIMITED);
	assert_string_equal(profile.limit_origins[limits_find("nofile")].file, "b.ini");
	assert_int_equal(profile.limit_origins[limits_find("nproc")].line, 9);
	assert_string_equal(profile.origins[profile_keyword("time", "grace") - profile_keywords].file, "b.ini");
	assert_null(profile.origins[profile_keyword("time", "timeout") - profile_keywords].file);
	profile_release(&profile);
}

static void a_login_is_closed_by_rules_unless_the_profile_says_so(void **state)
{
	struct profile profile;

	(void)state;
	load_text(&profile, FIXTURE_WORKSPACE "[allow]\nmake = make\n");
	assert_int_equal(profile.interactive, INTERACTIVE_NO);
	profile_release(&profile);
	load_text(&profile, FIXTURE_WORKSPACE "[menu]\nmake = make\n");
	assert_int_equal(profile.interactive, INTERACTIVE_NO);
	profile_release(&profile);
	load_text(&profile, FIXTURE_WORKSPACE "[menu]\nmake = make\n[command]\ninteractive = yes\n");
	assert_int_equal(profile.interactive, INTERACTIVE_YES);
	profile_release(&profile);
	load_text(&profile, FIXTURE_WORKSPACE "[command]\ninteractive = no\n");
	assert_int_equal(profile.interactive, INTERACTIVE_NO);
	profile_release(&profile);
}

static void specifiers_are_replaced_in_every_path_and_nowhere_else(void **state)
{
	const struct profile_names names = { "build", "alice", "ci", "/home/build" };
	struct profile profile;
	struct err err = { "" };

	(void)state;
	load_text(&profile, "[workspace]\npath = /srv/%u/%a%%\nalso = /srv/%g ?/x/%u\n[view]\nread = %h/lib\n[profile]\nmessage = 100%u\n"
		"[menu]\ndate = date +%u\n");
	assert_int_equal(profile_expand(&profile, &names, &err), 0);
	assert_string_equal(profile.workspace, "/srv/build/alice%");
	assert_string_equal(profile.also.items[0], "/srv/ci");
	assert_string_equal(profile.also.items[1], "?/x/build");
	assert_string_equal(profile.read.items[0], "/home/build/lib");
	assert_string_equal(profile.message, "100%u");
	assert_string_equal(profile.menu.items[0].text, "date +%u");
	profile_release(&profile);
}

static void assert_expands_not(const char *text, const struct profile_names *names, const char *sentence)
{
	struct err err = { "" };
	char *expanded = profile_expand_text(text, names, &err);

	if (expanded)
		fail_msg("%s became %s", text, expanded);
	if (!strstr(err.text, sentence))
		fail_msg("%s: %s", text, err.text);
}

static void a_name_that_cannot_stand_in_a_path_is_refused(void **state)
{
	const struct profile_names bad = { "..", NULL, "a/b", "/home/build" }, empty = { "", "", "", "" };
	char text[PATH_MAX + 2];

	(void)state;
	assert_expands_not("/srv/%u", &bad, "cannot stand in a path");
	assert_expands_not("/srv/%g", &bad, "cannot stand in a path");
	assert_expands_not("/srv/%u", &empty, "cannot stand in a path");
	assert_expands_not("/srv/%a", &empty, "cannot stand in a path");
	assert_expands_not("/srv/%a", &bad, "names the actor, and this request has none");
	assert_expands_not("/srv/%x", &bad, "unknown specifier");
	assert_expands_not("/srv/%", &bad, "unknown specifier");
	memset(text, 'a', sizeof(text));
	text[0] = '/';
	text[sizeof(text) - 1] = '\0';
	assert_expands_not(text, &bad, "aaa");
}

static void a_home_directory_that_is_no_plain_path_is_refused_in_one(void **state)
{
	static const char *const homes[] = { "/", "home/build", "/home/../etc", "/home/build/", "//home" };

	(void)state;
	for (size_t i = 0; i < COUNT(homes); i++) {
		const struct profile_names names = { "build", NULL, "ci", homes[i] };
		struct profile profile;
		struct err err = { "" };

		load_text(&profile, "[workspace]\npath = %h/work\n");
		if (profile_expand(&profile, &names, &err) != -EINVAL)
			fail_msg("home %s became %s", homes[i], profile.workspace);
		assert_non_null(strstr(err.text, "p.ini:2: [workspace] path"));
		profile_release(&profile);
	}
}

static void percent_of_memory_does_not_overflow_and_none_is_told_from_zero(void **state)
{
	const struct profile_size half = { { 50, true }, true }, none = { { 0, false }, false }, zero = { { 0, false }, true },
				  all = { { 100, true }, true };

	(void)state;
	assert_true(profile_bytes(&none, 100) == UINT64_MAX);
	assert_int_equal(profile_bytes(&zero, 100), 0);
	assert_int_equal(profile_bytes(&half, 8ull << 30), (8ull << 30) / 100 * 50);
	assert_true(profile_bytes(&all, UINT64_MAX) <= UINT64_MAX / 100 * 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(built_in_defaults_are_those_of_the_contract),
		cmocka_unit_test(every_kind_of_wrong_row_refuses_the_whole_profile_at_its_place),
		cmocka_unit_test(a_rule_without_a_word_is_refused),
		cmocka_unit_test(what_only_the_whole_can_show_is_refused_with_its_origin),
		cmocka_unit_test(fingerprints_of_keys_and_of_a_ca_with_principal_are_taken),
		cmocka_unit_test(words_of_the_network_are_checked_where_they_stand),
		cmocka_unit_test(an_actors_file_may_not_touch_account_log_and_actors),
		cmocka_unit_test(the_sites_file_inherits_from_no_profile),
		cmocka_unit_test(the_rest_of_a_command_is_taken_by_a_last_word_only),
		cmocka_unit_test(a_later_layer_replaces_scalars_and_lists_and_merges_entries),
		cmocka_unit_test(a_login_is_closed_by_rules_unless_the_profile_says_so),
		cmocka_unit_test(specifiers_are_replaced_in_every_path_and_nowhere_else),
		cmocka_unit_test(a_name_that_cannot_stand_in_a_path_is_refused),
		cmocka_unit_test(a_home_directory_that_is_no_plain_path_is_refused_in_one),
		cmocka_unit_test(percent_of_memory_does_not_overflow_and_none_is_told_from_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "rules.h"

#include "fixture.h"

#include "words.h"

#define RULES FIXTURE_WORKSPACE \
	"[allow]\nmake = make ...\ngit = git-upload-pack *\nsync = rsync --server ...\nls = ls\n[deny]\ninstall = make install\nmk = make -f ...\n"

/* "-" for a refusal, else the words that run, joined. */
static void assert_verdict(struct fixture *f, const char *command, const char *words)
{
	char *joined;

	verdict_release(&f->verdict);
	fixture_request(f, command);
	if (rules_decide(&f->verdict, &f->profile, &f->request, &(struct err){ "" }))
		fail();
	joined = f->verdict.is_allowed ? words_join((const char *const *)f->verdict.argv.items) : strdup("-");
	if (!f->verdict.is_allowed) {
		assert_int_equal(f->verdict.argv.len, 0);
		assert_true(strlen(f->verdict.sentence) > 0);
	}
	if (strcmp(joined, words) != 0)
		fail_msg("%s became %s: %s", command, joined, f->verdict.sentence);
	free(joined);
}

static void without_rules_the_text_goes_to_the_shell_as_it_is(void **state)
{
	static const char odd[] = "a; b | c $X `d`\n'\x01\xff\\ ";
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE);
	fixture_request(&f, odd);
	assert_int_equal(rules_decide(&f.verdict, &f.profile, &f.request, &(struct err){ "" }), 0);
	assert_true(f.verdict.is_allowed);
	assert_null(f.verdict.rule);
	assert_int_equal(f.verdict.argv.len, 3);
	assert_string_equal(f.verdict.argv.items[0], "/bin/sh");
	assert_string_equal(f.verdict.argv.items[1], "-c");
	assert_string_equal(f.verdict.argv.items[2], odd);
	fixture_close(&f);
}

static void with_rules_only_what_matches_word_by_word_runs(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, RULES);
	assert_verdict(&f, "make", "make");
	assert_verdict(&f, "make -j8 'a b'", "make -j8 'a b'");
	assert_verdict(&f, "'ma'ke all", "make all");
	assert_verdict(&f, "git-upload-pack /srv/x/y", "git-upload-pack /srv/x/y");
	assert_verdict(&f, "git-upload-pack", "-");
	assert_verdict(&f, "git-upload-pack a b", "-");
	assert_verdict(&f, "rsync --server", "rsync --server");
	assert_verdict(&f, "rsync --server . x", "rsync --server . x");
	assert_verdict(&f, "rsync", "-");
	assert_verdict(&f, "rsync . --server", "-");
	assert_verdict(&f, "ls", "ls");
	assert_verdict(&f, "ls -l", "-");
	assert_verdict(&f, "maker", "-");
	assert_verdict(&f, "/usr/bin/make", "-");
	assert_verdict(&f, "", "-");
	assert_verdict(&f, "   ", "-");
	fixture_close(&f);
}

static void an_account_for_sftp_alone_lists_no_program(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[command]\nshell = none\n[allow]\nnothing = /nonexistent\n");
	assert_verdict(&f, "ls", "-");
	assert_string_equal(f.verdict.sentence, "\"ls\" is not among this account's commands: sftp");
	fixture_close(&f);
}

static void deny_is_looked_at_first_and_named(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, RULES);
	assert_verdict(&f, "make install", "-");
	assert_string_equal(f.verdict.sentence, "\"make\" is denied on this account by the rule \"install\"");
	assert_string_equal(f.verdict.section, "deny");
	assert_string_equal(f.verdict.rule->name, "install");
	assert_verdict(&f, "make -f x", "-");
	assert_verdict(&f, "make install x", "make install x");
	assert_string_equal(f.verdict.rule->name, "make");
	assert_string_equal(f.verdict.section, "allow");
	fixture_close(&f);
}

static void a_quoted_word_cannot_pass_deny_unseen(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, RULES);
	assert_verdict(&f, "make 'install'", "-");
	assert_verdict(&f, "make ins\\tall", "-");
	assert_verdict(&f, "make \"inst\"all", "-");
	fixture_close(&f);
}

static void with_rules_every_unquoted_metacharacter_is_refused_by_name(void **state)
{
	static const char bad[] = ";&|<>()$`\n";
	struct fixture f;

	(void)state;
	fixture_open(&f, RULES);
	for (const char *at = bad; *at; at++) {
		char command[32], name[8];

		snprintf(command, sizeof(command), "make a%cb", *at);
		assert_verdict(&f, command, "-");
		snprintf(name, sizeof(name), "\"%c\"", *at);
		if (*at != '\n' && !strstr(f.verdict.sentence, name))
			fail_msg("%s", f.verdict.sentence);
		snprintf(command, sizeof(command), "make 'a%cb'", *at == '\n' ? ';' : *at);
		fixture_request(&f, command);
		verdict_release(&f.verdict);
		assert_int_equal(rules_decide(&f.verdict, &f.profile, &f.request, &(struct err){ "" }), 0);
		assert_true(f.verdict.is_allowed);
	}
	assert_verdict(&f, "make \x01", "-");
	assert_verdict(&f, "make '\x1b'", "-");
	assert_verdict(&f, "make 'a", "-");
	fixture_close(&f);
}

static void a_refusal_names_what_would_be_allowed(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, RULES "[menu]\nrelease = date\n");
	assert_verdict(&f, "id\x1b", "-");
	fixture_request(&f, "id");
	assert_verdict(&f, "id", "-");
	assert_string_equal(f.verdict.sentence, "\"id\" is not among this account's commands: release, make, git-upload-pack, rsync, ls, sftp");
	assert_verdict(&f, NULL, "-");
	assert_non_null(strstr(f.verdict.sentence, "a login without a command is not allowed"));
	fixture_close(&f);
}

static void a_menu_entry_is_chosen_by_its_name_alone(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[menu]\nrelease = \"date; echo $HOME | cat\"\n");
	assert_verdict(&f, "release", "/bin/sh -c 'date; echo $HOME | cat'");
	assert_int_equal(f.verdict.kind, REQUEST_MENU);
	assert_string_equal(f.verdict.section, "menu");
	assert_verdict(&f, "release x", "-");
	assert_verdict(&f, "release ", "-");
	assert_verdict(&f, "'release'", "-");
	assert_verdict(&f, "relea", "-");
	assert_verdict(&f, "date", "-");
	fixture_close(&f);
}

static void a_menu_keeps_its_shell_where_commands_have_none(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[menu]\nrelease = date\n[command]\nshell = none\n");
	assert_verdict(&f, "release", "/bin/sh -c date");
	fixture_close(&f);
	fixture_open(&f, FIXTURE_WORKSPACE "[menu]\nrelease = date\n[command]\nshell = /bin/dash\n");
	assert_verdict(&f, "release", "/bin/dash -c date");
	fixture_close(&f);
}

static void without_a_shell_words_run_as_they_are(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE "[command]\nshell = none\n");
	assert_verdict(&f, "echo '$HOME' *", "echo '$HOME' '*'");
	assert_verdict(&f, "echo a; id", "-");
	assert_verdict(&f, "echo $HOME", "-");
	fixture_close(&f);
}

static void sftp_runs_the_profiles_server_and_nothing_of_the_clients(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE);
	assert_verdict(&f, "internal-sftp -d /etc", "/usr/lib/openssh/sftp-server -e -l INFO");
	assert_verdict(&f, "/tmp/x/sftp-server -d /etc", "/usr/lib/openssh/sftp-server -e -l INFO");
	fixture_close(&f);
	fixture_open(&f, FIXTURE_WORKSPACE "[command]\nsftp = read\n");
	assert_verdict(&f, "internal-sftp", "/usr/lib/openssh/sftp-server -e -l INFO -R");
	fixture_close(&f);
	fixture_open(&f, FIXTURE_WORKSPACE "[command]\nsftp = no\n");
	assert_verdict(&f, "internal-sftp", "-");
	fixture_close(&f);
}

static void a_login_gets_the_login_shell_as_such(void **state)
{
	static const char *const shells[][2] = { { "/bin/bash", "/bin/bash -l" }, { "/bin/sh", "/bin/sh -l" }, { "/usr/bin/zsh", "/usr/bin/zsh -l" },
		{ "/usr/bin/python3", "/usr/bin/python3" }, { "/bin/bashful", "/bin/bashful" } };

	(void)state;
	for (size_t i = 0; i < COUNT(shells); i++) {
		struct fixture f;
		char text[128];

		snprintf(text, sizeof(text), FIXTURE_WORKSPACE "[command]\nlogin_shell = %s\n", shells[i][0]);
		fixture_open(&f, text);
		assert_verdict(&f, NULL, shells[i][1]);
		fixture_close(&f);
	}
}

static void a_login_with_rules_needs_interactive(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, RULES "[command]\ninteractive = yes\n");
	assert_verdict(&f, NULL, "/bin/bash -l");
	assert_verdict(&f, "id", "-");
	assert_non_null(strstr(f.verdict.sentence, "a login"));
	fixture_close(&f);
	fixture_open(&f, FIXTURE_WORKSPACE "[command]\ninteractive = no\n");
	assert_verdict(&f, NULL, "-");
	assert_verdict(&f, "id", "/bin/sh -c id");
	fixture_close(&f);
}

static void the_hook_is_no_command(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, FIXTURE_WORKSPACE);
	f.request.kind = REQUEST_HOOK;
	assert_int_equal(rules_decide(&f.verdict, &f.profile, &f.request, &(struct err){ "" }), 0);
	assert_false(f.verdict.is_allowed);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_rules_the_text_goes_to_the_shell_as_it_is),
		cmocka_unit_test(with_rules_only_what_matches_word_by_word_runs),
		cmocka_unit_test(an_account_for_sftp_alone_lists_no_program),
		cmocka_unit_test(deny_is_looked_at_first_and_named),
		cmocka_unit_test(a_quoted_word_cannot_pass_deny_unseen),
		cmocka_unit_test(with_rules_every_unquoted_metacharacter_is_refused_by_name),
		cmocka_unit_test(a_refusal_names_what_would_be_allowed),
		cmocka_unit_test(a_menu_entry_is_chosen_by_its_name_alone),
		cmocka_unit_test(a_menu_keeps_its_shell_where_commands_have_none),
		cmocka_unit_test(without_a_shell_words_run_as_they_are),
		cmocka_unit_test(sftp_runs_the_profiles_server_and_nothing_of_the_clients),
		cmocka_unit_test(a_login_gets_the_login_shell_as_such),
		cmocka_unit_test(a_login_with_rules_needs_interactive),
		cmocka_unit_test(the_hook_is_no_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

#define KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 x\n"
#define FORM_K "restrict,command=\"" STOCKADE_GATEWAY " --as bob\" " KEY

static void look(struct check *check, const char *text)
{
	check_forget(check);
	check_sshd_text(check, text);
	check_keys(check);
}

static void a_file_below_home_is_the_accounts(void **state)
{
	struct check check;

	check_open(&check, *state);
	look(&check, "authorizedkeysfile .ssh/authorized_keys none\n");
	assert_int_equal(check.len, 1);
	assert_has(check_found(&check, CHECK_SSHD_AUTHORIZED_KEYS)->cure, "AuthorizedKeysFile /etc/ssh/stockade/%u");
	check_release(&check);
}

static void a_file_of_roots_is_well_and_one_of_others_is_not(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	need_root();
	temp_dir(temp, "etc/ssh/keys");
	temp_file(temp, "etc/ssh/keys/build", KEY, 0644);
	check_open(&check, temp);
	look(&check, "permituserenvironment no\nauthorizedkeysfile /etc/ssh/keys/%u\n");
	assert_int_equal(check.len, 0);
	temp_file(temp, "etc/ssh/keys/build", KEY, 0664);
	look(&check, "permituserenvironment no\nauthorizedkeysfile /etc/ssh/keys/%u\n");
	assert_has(check_found(&check, CHECK_SSHD_AUTHORIZED_KEYS)->cure, "chmod go-w /etc/ssh/keys/build");
	check_release(&check);
}

static void a_forced_command_makes_as_text_of_the_clients(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	need_root();
	temp_dir(temp, "etc/ssh/keys");
	temp_file(temp, "etc/ssh/keys/build", "# keys\n" FORM_K, 0644);
	check_open(&check, temp);
	look(&check, "permituserenvironment no\nauthorizedkeysfile /etc/ssh/keys/%u\nforcecommand exec x\n");
	assert_has(check_found(&check, CHECK_KEY_FORGES_ACTOR)->cure, "sed -i -E '2s/");
	look(&check, "permituserenvironment no\nauthorizedkeysfile /etc/ssh/keys/%u\nforcecommand none\n");
	assert_int_equal(check_count(&check, CHECK_KEY_FORGES_ACTOR), 1); /* the gateway is the login shell */
	free(check.decision.account.shell);
	check.decision.account.shell = strdup("/bin/sh");
	look(&check, "permituserenvironment no\nauthorizedkeysfile /etc/ssh/keys/%u\nforcecommand none\n");
	assert_int_equal(check.len, 0);
	assert_true(check.has_keys_of_form_k);
	temp_file(temp, "etc/ssh/keys/build", FORM_K KEY, 0644);
	look(&check, "permituserenvironment no\nauthorizedkeysfile /etc/ssh/keys/%u\nforcecommand none\n");
	assert_false(check.has_keys_of_form_k);
	check_release(&check);
}

static void an_environment_counts_where_sshd_takes_it(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	temp_dir(temp, "etc/ssh/keys");
	temp_file(temp, "etc/ssh/keys/build", "environment=\"LD_PRELOAD=x\" " KEY, 0644);
	check_open(&check, temp);
	look(&check, "permituserenvironment yes\nauthorizedkeysfile /etc/ssh/keys/%u\n");
	assert_int_equal(check_count(&check, CHECK_KEY_FORGES_ACTOR), 1);
	look(&check, "permituserenvironment no\nauthorizedkeysfile /etc/ssh/keys/%u\n");
	assert_int_equal(check_count(&check, CHECK_KEY_FORGES_ACTOR), 0);
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(a_file_below_home_is_the_accounts),
		temp_test(a_file_of_roots_is_well_and_one_of_others_is_not),
		temp_test(a_forced_command_makes_as_text_of_the_clients),
		temp_test(an_environment_counts_where_sshd_takes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

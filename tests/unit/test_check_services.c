/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

#define PLAIN "auth required pam_unix.so\n@include common-account\n"

static size_t look(struct check *check, const struct temp *temp, const char *name, const char *text)
{
	char path[128];
	size_t count;

	temp_dir(temp, "etc/pam.d");
	temp_file(temp, "etc/pam.d/common-account", "account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so\naccount requisite pam_deny.so\n", 0644);
	snprintf(path, sizeof(path), "etc/pam.d/%s", name);
	temp_file(temp, path, text, 0644);
	check_forget(check);
	check_services(check);
	count = check_count(check, CHECK_PAM_OTHER_SERVICE);
	if (count)
		snprintf(check->findings[0].user, sizeof(check->findings[0].user), "%s", path);
	assert_int_equal(unlinkat(temp->fd, path, 0), 0);
	return count;
}

static void a_service_that_lets_the_account_in_is_named(void **state)
{
	static const char *const names[] = { "vsftpd", "cockpit", "xrdp-sesman", "never-heard-of" };
	struct check check;

	check_open(&check, *state);
	for (size_t i = 0; i < COUNT(names); i++) {
		if (look(&check, *state, names[i], PLAIN) != 1)
			fail_msg("not named: %s", names[i]);
		assert_has(check.findings[0].where, names[i]);
		assert_has(check.findings[0].cure, "echo 'account required pam_succeed_if.so quiet user != build' >>/etc/pam.d/");
	}
	/* The module confines nothing there. */
	assert_int_equal(look(&check, *state, "vsftpd", PLAIN "account required pam_stockade.so\n"), 1);
	assert_int_equal(look(&check, *state, "vsftpd", PLAIN "account optional pam_succeed_if.so quiet user != build\n"), 1);
	assert_int_equal(look(&check, *state, "vsftpd", PLAIN "account required pam_succeed_if.so quiet user != builder\n"), 1);
	check_release(&check);
}

static void one_that_refuses_the_account_is_not(void **state)
{
	struct check check;

	check_open(&check, *state);
	assert_int_equal(look(&check, *state, "vsftpd", PLAIN "account required pam_succeed_if.so quiet user != build\n"), 0);
	assert_int_equal(look(&check, *state, "vsftpd", PLAIN "account required pam_succeed_if.so quiet user != build # by hand\n"), 0);
	assert_int_equal(look(&check, *state, "vsftpd", "account\trequired\tpam_deny.so\n"), 0);
	assert_int_equal(look(&check, *state, "vsftpd", "session required pam_limits.so\n"), 0);
	assert_int_equal(look(&check, *state, "passwd", PLAIN), 0);
	assert_int_equal(look(&check, *state, "vsftpd.dpkg-old", PLAIN), 0);
	assert_int_equal(look(&check, *state, "loop", "@include loop\n"), 0);
	check_release(&check);
}

static void jobs_are_refused_by_the_module(void **state)
{
	struct check check;

	check_open(&check, *state);
	assert_int_equal(look(&check, *state, "cron", PLAIN), 1);
	assert_string_equal(check.findings[0].cure, "echo 'account required pam_stockade.so' >>/etc/pam.d/cron");
	assert_int_equal(look(&check, *state, "cron", PLAIN "account required pam_stockade.so\n"), 0);
	check_release(&check);
}

static void what_starts_the_login_shell_ends_in_the_gateway(void **state)
{
	struct check check;

	check_open(&check, *state);
	assert_int_equal(look(&check, *state, "su", PLAIN), 0);
	free(check.decision.account.shell);
	check.decision.account.shell = strdup("/bin/bash");
	assert_int_equal(look(&check, *state, "su", PLAIN), 1);
	assert_int_equal(look(&check, *state, "login", PLAIN), 1);
	assert_int_equal(look(&check, *state, "runuser", PLAIN), 0);
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(a_service_that_lets_the_account_in_is_named),
		temp_test(one_that_refuses_the_account_is_not),
		temp_test(jobs_are_refused_by_the_module),
		temp_test(what_starts_the_login_shell_ends_in_the_gateway),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

#define SYSTEMD "session\toptional\tpam_systemd.so\n"
#define OURS "account required pam_stockade.so\nsession required pam_stockade.so\n"

static void look(struct check *check, const struct temp *temp, const char *text)
{
	check_forget(check);
	temp_dir(temp, "etc/pam.d");
	temp_file(temp, "etc/pam.d/sshd", text, 0644);
	temp_file(temp, "etc/pam.d/common-session", "# a comment\n-session [success=ok default=ignore] pam_unix.so\n" SYSTEMD, 0644);
	temp_file(temp, "etc/pam.d/loop", "@include loop\n", 0644);
	check_pam(check);
}

static void behind_systemd_and_required_is_well(void **state)
{
	struct check check;

	check_open(&check, *state);
	look(&check, *state, "@include common-session\n@include loop\n" OURS);
	assert_int_equal(check.len, 0);
	assert_true(check.has_pam);
	look(&check, *state, "session include common-session\naccount required pam_stockade.so\nsession optional pam_exec.so quiet /usr/bin/stockade-gateway --hook open\n");
	assert_int_equal(check.len, 0);
	check_release(&check);
}

static void names_what_is_missing(void **state)
{
	struct check check;

	check_open(&check, *state);
	look(&check, *state, "@include common-session\n# session required pam_stockade.so\n");
	assert_int_equal(check_count(&check, CHECK_PAM_MISSING), 2);
	assert_false(check.has_pam);
	check_release(&check);
}

static void a_file_of_the_accounts_sets_no_environment(void **state)
{
	struct check check;

	static const char text[] = "@include common-session\nsession required pam_env.so user_readenv=1 envfile=/etc/default/locale\n" OURS;

	check_open(&check, *state);
	look(&check, *state, text);
	assert_int_equal(check.len, 0);
	temp_dir(*state, "home/build");
	temp_file(*state, "home/build/.pam_environment", "LD_PRELOAD=/srv/build/x.so\n", 0644);
	look(&check, *state, text);
	assert_string_equal(check_found(&check, CHECK_PAM_USER_ENVIRONMENT)->cure, "runuser -u build -- rm /home/build/.pam_environment");
	look(&check, *state, "@include common-session\nsession required pam_env.so user_readenv=0\nsession required pam_env.so # user_readenv=1\n" OURS);
	assert_int_equal(check.len, 0);
	check_release(&check);
}

static void a_module_whose_refusal_does_not_count(void **state)
{
	static const char *const controls[] = { "optional", "sufficient", "[success=ok default=ignore]" };
	struct check check;
	char text[256];

	check_open(&check, *state);
	for (size_t i = 0; i < COUNT(controls); i++) {
		snprintf(text, sizeof(text), "@include common-session\naccount required pam_stockade.so\nsession %s pam_stockade.so\n", controls[i]);
		look(&check, *state, text);
		assert_string_equal(check_found(&check, CHECK_PAM_NOT_REQUIRED)->cure, "sed -i '3c\\session required pam_stockade.so' /etc/pam.d/sshd");
	}
	look(&check, *state, "@include common-session\naccount requisite pam_stockade.so\nsession [success=ok default=bad] pam_stockade.so\n");
	assert_int_equal(check.len, 0);
	check_release(&check);
}

static void an_argument_of_the_module(void **state)
{
	struct check check;

	check_open(&check, *state);
	look(&check, *state, "@include common-session\naccount required pam_stockade.so\nsession required pam_stockade.so \t debug x=1 # y\n");
	assert_int_equal(check.len, 1);
	assert_string_equal(check_found(&check, CHECK_PAM_ARGUMENT)->what, "pam_stockade.so takes no argument, and is given 'debug'");
	assert_string_equal(check_found(&check, CHECK_PAM_ARGUMENT)->cure, "sed -i '3{s/pam_stockade\\.so[^#]*/pam_stockade.so /;s/ $//}' /etc/pam.d/sshd");
	look(&check, *state, "@include common-session\naccount required pam_stockade.so\nsession required pam_stockade.so \t # debug\n");
	assert_int_equal(check.len, 0);
	check_release(&check);
}

static void ahead_of_systemd_there_is_no_user_manager(void **state)
{
	struct check check;

	check_open(&check, *state);
	look(&check, *state, OURS "@include common-session\n");
	assert_int_equal(check.len, 1);
	assert_int_equal(check_count(&check, CHECK_PAM_ORDER), 1);
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(behind_systemd_and_required_is_well),
		temp_test(names_what_is_missing),
		temp_test(a_file_of_the_accounts_sets_no_environment),
		temp_test(a_module_whose_refusal_does_not_count),
		temp_test(an_argument_of_the_module),
		temp_test(ahead_of_systemd_there_is_no_user_manager),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

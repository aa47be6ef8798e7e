/* SPDX-License-Identifier: ISC */
/* What is found in captured words of sshd's. */
#include "check.h"

#include "check_fixture.h"

#define WELL \
	"forcecommand exec " STOCKADE_GATEWAY "\nallowtcpforwarding no\nallowstreamlocalforwarding no\nallowagentforwarding no\nx11forwarding no\n" \
	"permittunnel no\npermituserrc no\npermituserenvironment no\nusepam yes\nclientaliveinterval 30\nmaxsessions 10\nmaxstartups 10:30:100\n" \
	"authorizedkeysfile none\nexposeauthinfo yes\nacceptenv LANG\n"

static void look(struct check *check, const char *text)
{
	check_forget(check);
	check_sshd_text(check, text);
	check_sshd_config(check);
}

static void finds_nothing_where_all_is_well(void **state)
{
	struct check check;

	check_open(&check, *state);
	look(&check, WELL);
	assert_int_equal(check.len, 0);
	look(&check, "disableforwarding yes\n" WELL);
	assert_int_equal(check.len, 0);
	check_release(&check);
}

static void each_switch_is_a_finding_of_its_own(void **state)
{
	static const struct {
		const char *line;
		enum check_id id;
	} cases[] = { { "allowtcpforwarding local\n", CHECK_SSHD_TCP_FORWARDING }, { "allowstreamlocalforwarding yes\n", CHECK_SSHD_STREAMLOCAL_FORWARDING },
		{ "allowagentforwarding yes\n", CHECK_SSHD_AGENT_FORWARDING }, { "x11forwarding yes\n", CHECK_SSHD_X11_FORWARDING },
		{ "permittunnel point-to-point\n", CHECK_SSHD_TUNNEL }, { "permituserrc yes\n", CHECK_SSHD_USER_RC },
		{ "permituserenvironment LANG\n", CHECK_SSHD_USER_ENVIRONMENT }, { "usepam no\n", CHECK_SSHD_USE_PAM },
		{ "clientaliveinterval 0\n", CHECK_SSHD_CLIENT_ALIVE }, { "acceptenv SSH_*\n", CHECK_SSHD_ACCEPTENV },
		{ "forcecommand " STOCKADE_GATEWAY "\n", CHECK_SSHD_NO_GATEWAY }, { "forcecommand exec " STOCKADE_GATEWAY " --as bob\n", CHECK_SSHD_NO_GATEWAY },
		{ "forcecommand none\n", CHECK_SSHD_LOGIN_SHELL_ONLY },
		{ "forcecommand exec " STOCKADE_GATEWAY "x\n", CHECK_SSHD_NO_GATEWAY } };
	struct check check;
	char text[2048];

	check_open(&check, *state);
	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(text, sizeof(text), "%s" WELL, cases[i].line);
		look(&check, text);
		if (check.len != 1 || check.findings[0].id != cases[i].id)
			fail_msg("%s: %zu findings, %s", cases[i].line, check.len, check.len ? check_table[check.findings[0].id].name : "-");
		assert_has(check.findings[0].cure, "systemctl reload ssh");
	}
	check_release(&check);
}

static void disable_forwarding_alone_is_one_warning(void **state)
{
	struct check check;

	check_open(&check, *state);
	look(&check, "disableforwarding yes\nallowtcpforwarding yes\nx11forwarding yes\n" WELL);
	assert_int_equal(check.len, 1);
	assert_has(check_found(&check, CHECK_SSHD_DISABLE_FORWARDING_ONLY)->cure, "'AllowTcpForwarding no' 'X11Forwarding no'");
	check_release(&check);
}

static void without_a_gateway_at_all(void **state)
{
	struct check check;

	check_open(&check, *state);
	free(check.decision.account.shell);
	check.decision.account.shell = strdup("/bin/sh");
	look(&check, "forcecommand none\n" WELL);
	assert_int_equal(check_found(&check, CHECK_SSHD_NO_GATEWAY)->severity, CHECK_ERROR);
	look(&check, "forcecommand " STOCKADE_GATEWAY "\n" WELL);
	assert_int_equal(check_found(&check, CHECK_SSHD_FORCECOMMAND_NOT_EXEC)->severity, CHECK_WARNING);
	look(&check, "forcecommand exec " STOCKADE_GATEWAY " --as bob\n" WELL);
	assert_int_equal(check.len, 0);
	look(&check, "forcecommand exec " STOCKADE_GATEWAY " --hook open\n" WELL);
	assert_int_equal(check_count(&check, CHECK_SSHD_NO_GATEWAY), 1);
	check_release(&check);
}

static void actors_need_somebody_to_say_whose_key_it_is(void **state)
{
	struct check check;

	check_open(&check, *state);
	check_profile_text(&check, FIXTURE_WORKSPACE "[actors]\nalice = SHA256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n");
	look(&check, "exposeauthinfo no\n" WELL);
	assert_int_equal(check_count(&check, CHECK_SSHD_EXPOSE_AUTH_INFO), 1);
	check.has_pam = true;
	look(&check, "exposeauthinfo no\n" WELL);
	assert_int_equal(check_count(&check, CHECK_SSHD_EXPOSE_AUTH_INFO), 0);
	look(&check, "usepam no\nexposeauthinfo no\n" WELL);
	assert_int_equal(check_count(&check, CHECK_SSHD_EXPOSE_AUTH_INFO), 1);
	check_release(&check);
}

static void numbers_are_held_against_the_profiles(void **state)
{
	struct check check;

	check_open(&check, *state);
	check_profile_text(&check, FIXTURE_WORKSPACE "[account]\nactor_sessions_max = 12\n");
	look(&check, WELL);
	assert_int_equal(check_count(&check, CHECK_SSHD_MAX_SESSIONS), 2);
	assert_has(check.findings[0].cure, "MaxSessions 12");
	assert_has(check.findings[1].cure, "MaxStartups 12:30:120");
	check_release(&check);
}

static void a_pattern_of_acceptenv_is_no_pattern_of_seds(void **state)
{
	struct check check;

	check_open(&check, *state);
	look(&check, "acceptenv L?_*\nacceptenv x'y*\nacceptenv *\n" WELL);
	assert_has(check_found(&check, CHECK_SSHD_ACCEPTENV)->cure, "L[?]_[*](");
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(finds_nothing_where_all_is_well),
		temp_test(each_switch_is_a_finding_of_its_own),
		temp_test(disable_forwarding_alone_is_one_warning),
		temp_test(without_a_gateway_at_all),
		temp_test(actors_need_somebody_to_say_whose_key_it_is),
		temp_test(numbers_are_held_against_the_profiles),
		temp_test(a_pattern_of_acceptenv_is_no_pattern_of_seds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

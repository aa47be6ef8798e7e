/* SPDX-License-Identifier: ISC */
#include "layout.h"

#include "fixture.h"

static void a_line_is_found_by_its_whole_keyword_in_any_case(void **state)
{
	(void)state;
	assert_string_equal(layout_sshd_line("x11forwarding"), "X11Forwarding no");
	assert_string_equal(layout_sshd_value("FORCECOMMAND"), "exec " STOCKADE_GATEWAY);
	assert_null(layout_sshd_line("x11"));
	assert_null(layout_sshd_line(""));
	assert_null(layout_sshd_value("usepam"));
}

static void every_line_stands_in_the_accounts_block(void **state)
{
	static const char *const keywords[] = { "ForceCommand", "DisableForwarding", "AllowTcpForwarding", "AllowStreamLocalForwarding",
		"AllowAgentForwarding", "X11Forwarding", "PermitTunnel", "PermitUserRC", "PasswordAuthentication", "ExposeAuthInfo" };
	char text[2048], small[40];

	(void)state;
	layout_sshd_text(text, sizeof(text), "build", true);
	assert_non_null(strstr(text, "\nMatch User build\n    ForceCommand exec " STOCKADE_GATEWAY "\n    AuthorizedKeysFile /etc/ssh/stockade/%u\n"));
	for (size_t i = 0; i < COUNT(keywords); i++) {
		char line[128];

		snprintf(line, sizeof(line), "\n    %s\n", layout_sshd_line(keywords[i]));
		if (!strstr(text, line) || strstr(text, line) < strstr(text, "Match User"))
			fail_msg("no %s", line);
	}
	layout_sshd_text(text, sizeof(text), "build", false);
	assert_null(strstr(text, "AuthorizedKeysFile"));
	layout_sshd_text(small, sizeof(small), "build", true);
	assert_true(strlen(small) < sizeof(small));
}

static void the_slice_has_a_line_for_each_total_of_the_account(void **state)
{
	char lines[LAYOUT_SLICE_LINES][64];
	struct profile profile;
	struct err err = { "" };

	(void)state;
	assert_int_equal(profile_init(&profile, &err), 0);
	assert_int_equal(layout_slice_lines(&profile, 1000000, lines), 0);
	assert_int_equal(fixture_apply(&profile, "p.ini", "[account]\nmemory_max = 50%\ntasks_max = 7\ncpus = 1.5\n", LAYER_ACCOUNT, &err), 0);
	assert_int_equal(layout_slice_lines(&profile, 1000000, lines), 3);
	assert_string_equal(lines[0], "MemoryMax=499712");
	assert_string_equal(lines[1], "TasksMax=7");
	assert_string_equal(lines[2], "CPUQuota=150%");
	profile_release(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_found_by_its_whole_keyword_in_any_case),
		cmocka_unit_test(every_line_stands_in_the_accounts_block),
		cmocka_unit_test(the_slice_has_a_line_for_each_total_of_the_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

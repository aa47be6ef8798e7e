/* SPDX-License-Identifier: ISC */
#include "check_config.h"

#include "fixture.h"

/* Lines of "sshd -T -C user=build" of OpenSSH 9.2. */
static const char captured[] = "port 22\nusepam yes\nmaxsessions 10\nx11forwarding yes\nversionaddendum none\nacceptenv LANG\nacceptenv LC_*\n"
			       "forcecommand exec /usr/bin/stockade-gateway\nauthorizedkeysfile .ssh/authorized_keys .ssh/authorized_keys2\nbanner\n"
			       "subsystem sftp /usr/lib/openssh/sftp-server";

static void reads_what_sshd_prints(void **state)
{
	struct check_config config = CHECK_CONFIG_INIT;
	struct err err;

	(void)state;
	assert_int_equal(check_config_parse(&config, captured, &err), 0);
	assert_string_equal(check_config_value(&config, "usepam"), "yes");
	assert_string_equal(check_config_value(&config, "forcecommand"), "exec /usr/bin/stockade-gateway");
	assert_string_equal(check_config_value(&config, "authorizedkeysfile"), ".ssh/authorized_keys .ssh/authorized_keys2");
	assert_string_equal(check_config_value(&config, "acceptenv"), "LANG");
	assert_string_equal(check_config_value(&config, "banner"), "");
	assert_string_equal(check_config_value(&config, "nothing"), "");
	assert_string_equal(check_config_value(&config, "subsystem"), "sftp /usr/lib/openssh/sftp-server");
	assert_int_equal(config.keys.len, config.values.len);
	check_config_release(&config);
}

static void knows_a_dangerous_variable_by_its_pattern(void **state)
{
	static const char *const bad[] = { "*", "SSH_*", "SSH_ORIGINAL_COMMAND", "S*", "LD_*", "LD_PRELOAD", "L*", "BASH_ENV", "?ATH", "GCONV_PATH", "SSH_X" };
	static const char *const good[] = { "LANG", "LC_*", "CI_*", "GIT_*", "TERM", "COLORTERM" };

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (!check_config_accepts_danger(bad[i]))
			fail_msg("%s", bad[i]);
	for (size_t i = 0; i < COUNT(good); i++)
		if (check_config_accepts_danger(good[i]))
			fail_msg("%s", good[i]);
}

static void a_match_line_by_more_than_the_user_gives_a_connection_that_fits(void **state)
{
	static const char *const cases[][2] = {
		{ "Match Address 10.0.0.0/8", "user=build,host=localhost,addr=10.0.0.0,laddr=127.0.0.1,lport=22" },
		{ "\tmatch\taddress !10.1.0.0/16,10.2.*,x LocalPort 2222", "user=build,host=localhost,addr=10.2.1.1,laddr=127.0.0.1,lport=2222" },
		{ "Match User other,build Host *.example.org", "user=build,host=x.example.org,addr=127.0.0.1,laddr=127.0.0.1,lport=22" },
		{ "Match=LocalAddress=192.0.2.7 # here", "user=build,host=localhost,addr=127.0.0.1,laddr=192.0.2.7,lport=22" },
		{ "Match Address \"2001:db8::/32\" Group x", "user=build,host=localhost,addr=2001:db8::,laddr=127.0.0.1,lport=22" },
		{ "Match Address fe80:*", "user=build,host=localhost,addr=fe80::1,laddr=127.0.0.1,lport=22" },
		{ "Match Address *", "user=build,host=localhost,addr=1.1.1.1,laddr=127.0.0.1,lport=22" },
	};
	static const char *const others[] = { "Match User build", "Match all", "Match Group x", "# Match Address 10.0.0.1", "Address 10.0.0.1", "", "Match",
		"ForceCommand Match Address 1.2.3.4" };
	char spec[900];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(check_config_match(cases[i][0], "build", spec, sizeof(spec)));
		assert_string_equal(spec, cases[i][1]);
	}
	for (size_t i = 0; i < COUNT(others); i++)
		if (check_config_match(others[i], "build", spec, sizeof(spec)))
			fail_msg("%s: %s", others[i], spec);
}

static void finds_the_key_file_that_sshd_would_read(void **state)
{
	static const char *const cases[][2] = { { ".ssh/authorized_keys", "/home/build/.ssh/authorized_keys" }, { "/etc/ssh/keys/%u", "/etc/ssh/keys/build" },
		{ "%h/keys", "/home/build/keys" }, { "/k/%U/%%", "/k/1001/%" }, { "/k/%", "/k/%" } };
	char path[64], small[8];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		check_config_keys_path(path, sizeof(path), cases[i][0], "build", 1001, "/home/build");
		assert_string_equal(path, cases[i][1]);
	}
	check_config_keys_path(small, sizeof(small), "/%h/%h/%h", "build", 1001, "/home/build");
	assert_int_equal(strlen(small), sizeof(small) - 1);
}

static void reads_an_option_of_a_key_line(void **state)
{
	char value[64];

	(void)state;
	assert_true(check_config_key_option("restrict,command=\"gw --as \\\"a,b\\\"\",no-pty ssh-ed25519 AAAA x", "command", value, sizeof(value)));
	assert_string_equal(value, "gw --as \"a,b\"");
	assert_true(check_config_key_option("  ENVIRONMENT=\"A=b c\" ssh-rsa AAAA", "environment", value, sizeof(value)));
	assert_string_equal(value, "A=b c");
	assert_false(check_config_key_option("ssh-ed25519 AAAA command=\"x\"", "command", value, sizeof(value)));
	assert_false(check_config_key_option("from=\"command=x\" ssh-ed25519 AAAA", "command", value, sizeof(value)));
	assert_false(check_config_key_option("# command=\"x\" ssh-ed25519 AAAA", "command", value, sizeof(value)));
	assert_false(check_config_key_option("", "command", value, sizeof(value)));
	assert_true(check_config_is_key("ssh-ed25519 AAAA x"));
	assert_false(check_config_is_key("  # ssh-ed25519 AAAA x"));
	assert_false(check_config_is_key(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_sshd_prints),
		cmocka_unit_test(knows_a_dangerous_variable_by_its_pattern),
		cmocka_unit_test(a_match_line_by_more_than_the_user_gives_a_connection_that_fits),
		cmocka_unit_test(finds_the_key_file_that_sshd_would_read),
		cmocka_unit_test(reads_an_option_of_a_key_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

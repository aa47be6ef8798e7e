/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

static void sudo_is_found_by_user_group_uid_and_alias(void **state)
{
	static const char *const bad[] = { "build ALL=(ALL) ALL\n", "%build ALL = ALL\n", "#1001 ALL=ALL\n", "other, build host = /bin/ls\n", "ALL ALL=(ALL) ALL\n",
		"User_Alias B = x, build\nB ALL = ALL\n", "other, \\\n  build ALL = ALL\n", "User_Alias A = x : B = y, \\\nbuild\nB ALL = ALL\n",
		"B ALL = ALL\nUser_Alias B = C\nUser_Alias C = build\n" };
	static const char *const good[] = { "# build ALL=(ALL) ALL\n", "root ALL=(ALL:ALL) ALL\n", "%sudo ALL=(ALL:ALL) ALL\n", "Defaults env_reset, x=build\n",
		"builder ALL=ALL\n", "# build \\\n ALL=ALL\n", "User_Alias B = x\nB ALL = ALL\n", "Host_Alias build = x\n", "other build = ALL\n" };
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	temp_dir(temp, "etc/sudoers.d");
	for (size_t i = 0; i < COUNT(bad) + COUNT(good); i++) {
		bool is_bad = i < COUNT(bad);
		const char *text = is_bad ? bad[i] : good[i - COUNT(bad)];

		check_forget(&check);
		temp_file(temp, "etc/sudoers.d/x", text, 0440);
		check_account(&check);
		if (check_count(&check, CHECK_ACCOUNT_SUDOERS) != is_bad)
			fail_msg("%s", text);
		unlinkat(temp->fd, "etc/sudoers.d/x", 0);
	}
	temp_file(temp, "etc/sudoers.d/x.bak", "build ALL=ALL\n", 0440);
	check_forget(&check);
	check_account(&check);
	assert_int_equal(check_count(&check, CHECK_ACCOUNT_SUDOERS), 0);
	check_release(&check);
}

static void doas_is_found_by_user_and_group(void **state)
{
	static const char *const bad[] = { "permit build\n", "permit nopass keepenv :build as root\n", "permit setenv { A=b \\\n C } 1001 cmd ls\n",
		"deny x\npermit persist setenv {X} build\n" };
	static const char *const good[] = { "# permit build\n", "permit :wheel\n", "permit nopass other as build\n", "deny build\n", "permit setenv { build } root\n", "permit\n",
		"permit builder\n" };
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	temp_dir(temp, "etc");
	for (size_t i = 0; i < COUNT(bad) + COUNT(good); i++) {
		bool is_bad = i < COUNT(bad);
		const char *text = is_bad ? bad[i] : good[i - COUNT(bad)];

		check_forget(&check);
		temp_file(temp, "etc/doas.conf", text, 0440);
		check_account(&check);
		if (check_count(&check, CHECK_ACCOUNT_SUDOERS) != is_bad)
			fail_msg("%s", text);
		unlinkat(temp->fd, "etc/doas.conf", 0);
	}
	check_release(&check);
}

static void a_rule_over_many_lines_is_taken_out_whole(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	temp_dir(temp, "etc");
	temp_file(temp, "etc/sudoers", "root ALL=ALL\nother, \\\n build \\\n ALL = ALL\n", 0440);
	check_account(&check);
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_SUDOERS)->cure, "sed -i '2,4s/^/# /' /etc/sudoers");
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(sudo_is_found_by_user_group_uid_and_alias),
		temp_test(doas_is_found_by_user_and_group),
		temp_test(a_rule_over_many_lines_is_taken_out_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

static void sudo_is_found_by_user_group_uid_and_alias(void **state)
{
	static const char *const bad[] = { "build ALL=(ALL) ALL\n", "%build ALL = ALL\n", "#1001 ALL=ALL\n", "other, build host = /bin/ls\n", "ALL ALL=(ALL) ALL\n",
		"User_Alias B = x, build\nB ALL = ALL\n" };
	static const char *const good[] = { "# build ALL=(ALL) ALL\n", "root ALL=(ALL:ALL) ALL\n", "%sudo ALL=(ALL:ALL) ALL\n", "Defaults env_reset, x=build\n",
		"builder ALL=ALL\n", "User_Alias B = x\nB ALL = ALL\n", "Host_Alias build = x\n", "other build = ALL\n" };
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

static void a_group_that_is_root_by_another_name(void **state)
{
	struct check check;

	check_open(&check, *state);
	strv_add(&check.decision.account.groups, "docker");
	strv_add(&check.decision.account.groups, "friends");
	check_account(&check);
	assert_int_equal(check_count(&check, CHECK_ACCOUNT_ROOT_GROUP), 1);
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_ROOT_GROUP)->cure, "gpasswd -d build docker");
	check_release(&check);
}

static void the_gateway_is_the_shell_and_no_ordinary_one(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	temp_dir(temp, "etc");
	temp_file(temp, "etc/shells", "/bin/sh\n" STOCKADE_GATEWAY "-not\n#" STOCKADE_GATEWAY "\n", 0644);
	check_account(&check);
	assert_int_equal(check_count(&check, CHECK_ACCOUNT_SHELL) + check_count(&check, CHECK_ACCOUNT_IN_ETC_SHELLS), 0);
	temp_file(temp, "etc/shells", "/bin/sh\n" STOCKADE_GATEWAY, 0644);
	free(check.decision.account.shell);
	check.decision.account.shell = strdup("/bin/bash");
	check_account(&check);
	assert_int_equal(check_count(&check, CHECK_ACCOUNT_SHELL), 1);
	assert_int_equal(check_count(&check, CHECK_ACCOUNT_IN_ETC_SHELLS), 1);
	check_release(&check);
}

static void totals_need_their_drop_in(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	check_profile_text(&check, FIXTURE_WORKSPACE "[account]\nmemory_max = 1G\ntasks_max = 500\ncpus = 1.5\n");
	check_account(&check);
	assert_has(check_found(&check, CHECK_SLICE_DROP_IN)->what, "MemoryMax=1073741824");
	temp_dir(temp, "etc/systemd/system/user-1001.slice.d");
	temp_file(temp, "etc/systemd/system/user-1001.slice.d/50-stockade.conf", "[Slice]\nMemoryMax=1073741824\nTasksMax=500\nCPUQuota=150%\n", 0644);
	check_forget(&check);
	check_account(&check);
	assert_int_equal(check_count(&check, CHECK_SLICE_DROP_IN), 0);
	temp_file(temp, "etc/systemd/system/user-1001.slice.d/50-stockade.conf", "[Slice]\nMemoryMax=1073741824\nTasksMax=5000\nCPUQuota=150%\n", 0644);
	check_account(&check);
	assert_has(check_found(&check, CHECK_SLICE_DROP_IN)->what, "TasksMax=500");
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(sudo_is_found_by_user_group_uid_and_alias),
		temp_test(a_group_that_is_root_by_another_name),
		temp_test(the_gateway_is_the_shell_and_no_ordinary_one),
		temp_test(totals_need_their_drop_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

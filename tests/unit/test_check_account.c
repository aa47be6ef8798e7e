/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

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
		temp_test(a_group_that_is_root_by_another_name),
		temp_test(the_gateway_is_the_shell_and_no_ordinary_one),
		temp_test(totals_need_their_drop_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

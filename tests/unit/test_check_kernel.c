/* SPDX-License-Identifier: ISC */
/* A /proc/sys of the test's own; that of the host is planted over in the beds. */
#include "check.h"

#include "check_fixture.h"

static void setting(const struct temp *temp, const char *path, const char *text)
{
	char file[128];

	snprintf(file, sizeof(file), "proc/sys/%s", path);
	temp_dir(temp, "proc/sys/fs");
	temp_dir(temp, "proc/sys/kernel/yama");
	temp_file(temp, file, text, 0644);
}

static void a_kernel_is_old_by_number_and_not_by_text(void **state)
{
	static const char *const old[] = { "4.19.0-27-amd64\n", "5.4.0\n", "5.9.16\n", "5\n", "3.10.0-1160.el7\n" };
	static const char *const well[] = { "5.10.0-35-amd64\n", "5.100.1\n", "6.1.0\n", "10.0\n" };
	struct check check;

	check_open(&check, *state);
	check_kernel(&check, true);
	assert_int_equal(check.len, 0); /* no /proc */
	for (size_t i = 0; i < COUNT(old) + COUNT(well); i++) {
		bool is_old = i < COUNT(old);
		const char *text = is_old ? old[i] : well[i - COUNT(old)];

		setting(*state, "kernel/osrelease", text);
		check_forget(&check);
		check_kernel(&check, true);
		if (check_count(&check, CHECK_KERNEL_OLD) != is_old)
			fail_msg("%s", text);
	}
	check_release(&check);
}

static void tracing_counts_where_no_pid_namespace_is(void **state)
{
	struct check check;

	check_open(&check, *state);
	check_kernel(&check, false);
	assert_int_equal(check.len, 0); /* a kernel without yama */
	setting(*state, "kernel/yama/ptrace_scope", "0\n");
	check_kernel(&check, true);
	assert_int_equal(check.len, 0);
	check_kernel(&check, false);
	assert_has(check_found(&check, CHECK_KERNEL_PTRACE)->cure, "sysctl -w kernel.yama.ptrace_scope=1");
	setting(*state, "kernel/yama/ptrace_scope", "1\n");
	check_forget(&check);
	check_kernel(&check, false);
	assert_int_equal(check.len, 0);
	check_release(&check);
}

static size_t look(struct check *check, const struct temp *temp, const char *profile)
{
	check_release(check);
	check_open(check, temp);
	check_profile_text(check, profile);
	check_kernel_hard_links(check);
	return check->len;
}

static void links_count_where_the_workspace_shares_a_file_system(void **state)
{
	struct check check;

	check_open(&check, *state);
	temp_dir(*state, "srv/build");
	setting(*state, "fs/protected_hardlinks", "0\n");
	assert_int_equal(look(&check, *state, FIXTURE_WORKSPACE), 1);
	assert_has(check_found(&check, CHECK_KERNEL_HARD_LINKS)->cure, "sysctl -w fs.protected_hardlinks=1");
	assert_int_equal(look(&check, *state, FIXTURE_WORKSPACE "access = read\n"), 0);
	setting(*state, "fs/protected_hardlinks", "1\n");
	assert_int_equal(look(&check, *state, FIXTURE_WORKSPACE), 0);
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(a_kernel_is_old_by_number_and_not_by_text),
		temp_test(tracing_counts_where_no_pid_namespace_is),
		temp_test(links_count_where_the_workspace_shares_a_file_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

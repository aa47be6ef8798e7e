/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

#define FILE_NAME "/etc/stockade/profiles/build.ini"

static size_t look(struct check *check, const struct temp *temp, enum check_id id, const char *text)
{
	check_release(check);
	check_open(check, temp);
	check->decision.account.uid = getuid() ? getuid() : 65534;
	check_profile_text(check, text);
	check_start(check);
	return check_count(check, id);
}

/* Nobody, where root runs the test: root's own processes are not counted. */
static void a_limit_under_which_no_shell_works_is_named_with_its_line(void **state)
{
	static const char *const small[] = { "nproc = 1", "as = 1M", "nofile = 3", "fsize = 0", "cpu = 0", "stack = 4K", "data = 1K" };
	static const char *const well[] = { "nproc = 256", "as = 256M", "nofile = 256", "fsize = 1K", "cpu = 1", "stack = 1M", "data = 64M", "nproc = unlimited", "core = 0",
		"memlock = 0", "locks = 0" };
	struct check check;
	char text[256];

	check_open(&check, *state);
	temp_dir(*state, "usr/bin");
	for (size_t i = 0; i < COUNT(small); i++) {
		snprintf(text, sizeof(text), FIXTURE_WORKSPACE "[limits]\n%s\n", small[i]);
		if (look(&check, *state, CHECK_LIMIT_TOO_SMALL, text) != 1)
			fail_msg("not named: %s", small[i]);
		assert_has(check_found(&check, CHECK_LIMIT_TOO_SMALL)->where, FILE_NAME ":4: [limits] ");
	}
	for (size_t i = 0; i < COUNT(well); i++) {
		snprintf(text, sizeof(text), FIXTURE_WORKSPACE "[limits]\n%s\n", well[i]);
		if (look(&check, *state, CHECK_LIMIT_TOO_SMALL, text) != 0)
			fail_msg("named: %s", well[i]);
	}
	look(&check, *state, CHECK_LIMIT_TOO_SMALL, FIXTURE_WORKSPACE "[limits]\nnproc = 1\n");
	assert_string_equal(check_found(&check, CHECK_LIMIT_TOO_SMALL)->cure, "sed -i '4c\\nproc = 256' " FILE_NAME);
	check_release(&check);
}

static void a_denied_call_that_all_need_is_taken_out_of_the_list(void **state)
{
	struct check check;

	check_open(&check, *state);
	temp_dir(*state, "usr/bin");
	assert_int_equal(look(&check, *state, CHECK_SECCOMP_TOO_MUCH, FIXTURE_WORKSPACE "[seccomp]\ndeny = chroot execve sync prlimit64\n"), 1);
	assert_has(check_found(&check, CHECK_SECCOMP_TOO_MUCH)->what, "execve prlimit64: ");
	assert_string_equal(check_found(&check, CHECK_SECCOMP_TOO_MUCH)->cure, "sed -i '4c\\deny = chroot sync' " FILE_NAME);
	assert_int_equal(look(&check, *state, CHECK_SECCOMP_TOO_MUCH, FIXTURE_WORKSPACE "[seccomp]\ndeny = chroot execveat\n"), 0);
	check_release(&check);
}

static void a_path_of_which_nothing_is_there(void **state)
{
	struct check check;

	check_open(&check, *state);
	temp_dir(*state, "usr/bin");
	assert_int_equal(look(&check, *state, CHECK_PROGRAM_ABSENT, FIXTURE_WORKSPACE "[env]\npath = /nowhere:/usr/bin\n"), 0);
	assert_int_equal(look(&check, *state, CHECK_PROGRAM_ABSENT, FIXTURE_WORKSPACE "[env]\npath = /nowhere:/neither\n"), 1);
	assert_string_equal(check_found(&check, CHECK_PROGRAM_ABSENT)->cure, "sed -i '4c\\path = /usr/local/bin:/usr/bin:/bin' " FILE_NAME);
	check_release(&check);
}

static void the_real_run_looks_for_the_programs_that_can_be_asked_for(void **state)
{
	const char *programs[CHECK_PROGRAMS_MAX + 1];
	struct check check;

	check_open(&check, *state);
	check_profile_text(&check, FIXTURE_WORKSPACE "[command]\nshell = none\ninteractive = no\nsftp = no\n");
	assert_int_equal(check_programs(&check, programs), 0);
	assert_null(programs[0]);
	check_release(&check);
	check_open(&check, *state);
	check_profile_text(&check, FIXTURE_WORKSPACE "[command]\nshell = /opt/sh\ninteractive = yes\n");
	assert_int_equal(check_programs(&check, programs), 3);
	assert_string_equal(programs[0], "/opt/sh");
	assert_string_equal(programs[1], "/bin/bash");
	check_program_absent(&check, "/opt/sh");
	assert_string_equal(check_found(&check, CHECK_PROGRAM_ABSENT)->cure, "sed -i '4c\\shell = /bin/sh' " FILE_NAME);
	check_forget(&check);
	check_program_absent(&check, "/usr/lib/openssh/sftp-server");
	assert_has(check_found(&check, CHECK_PROGRAM_ABSENT)->cure, "apt-get install -y --reinstall openssh-sftp-server");
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(a_limit_under_which_no_shell_works_is_named_with_its_line),
		temp_test(a_denied_call_that_all_need_is_taken_out_of_the_list),
		temp_test(a_path_of_which_nothing_is_there),
		temp_test(the_real_run_looks_for_the_programs_that_can_be_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

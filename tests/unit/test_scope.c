/* SPDX-License-Identifier: ISC */
/* Files of a directory stand for a cgroup's; the last test makes one of the kernel's. */
#include "scope.h"

#include <signal.h>

#include "private_system.h"

static struct scope scope_of(const struct temp *temp)
{
	return (struct scope){ .fd = temp->fd };
}

static void a_files_content_comes_without_its_newline(void **state)
{
	const struct temp *temp = *state;
	const struct scope scope = scope_of(temp);
	char text[16] = "old";

	temp_file(temp, "memory.max", "1048576\n", 0644);
	temp_file(temp, "cpu.max", "250000 100000\n", 0644);
	temp_file(temp, "empty", "", 0644);
	assert_int_equal(scope_read(&scope, "memory.max", text, sizeof(text)), 0);
	assert_string_equal(text, "1048576");
	assert_int_equal(scope_read(&scope, "cpu.max", text, sizeof(text)), 0);
	assert_string_equal(text, "250000 100000");
	assert_int_equal(scope_read(&scope, "empty", text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(scope_read(&scope, "cpu.max", text, 5), 0);
	assert_string_equal(text, "2500");
}

static void an_absent_file_or_scope_is_told(void **state)
{
	const struct temp *temp = *state;
	const struct scope scope = scope_of(temp), none = SCOPE_INIT;
	char text[16];

	assert_int_equal(scope_read(&scope, "memory.max", text, sizeof(text)), -ENOENT);
	assert_int_equal(scope_read(&none, "memory.max", text, sizeof(text)), -ENOENT);
	assert_int_equal(scope_number(&scope, "memory.peak", NULL), -1);
	assert_int_equal(scope_number(&none, "memory.events", "oom_kill"), -1);
	assert_int_equal(scope_kill(&none), -ENOENT);
	assert_false(scope_is_populated(&none));
}

static void numbers_are_found_by_the_whole_key(void **state)
{
	const struct temp *temp = *state;
	const struct scope scope = scope_of(temp);

	temp_file(temp, "memory.events", "low 1\nhigh 2\nmax 3\noom 4\noom_kill 5\noom_group_kill 6\n", 0644);
	temp_file(temp, "memory.peak", "851443712\n", 0644);
	assert_int_equal(scope_number(&scope, "memory.events", "low"), 1);
	assert_int_equal(scope_number(&scope, "memory.events", "oom"), 4);
	assert_int_equal(scope_number(&scope, "memory.events", "oom_kill"), 5);
	assert_int_equal(scope_number(&scope, "memory.events", "kill"), -1);
	assert_int_equal(scope_number(&scope, "memory.events", "oo"), -1);
	assert_int_equal(scope_number(&scope, "memory.peak", NULL), 851443712);
}

static void populated_is_read_from_the_events(void **state)
{
	const struct temp *temp = *state;
	const struct scope scope = scope_of(temp);

	temp_file(temp, "cgroup.events", "populated 1\nfrozen 0\n", 0644);
	assert_true(scope_is_populated(&scope));
	temp_file(temp, "cgroup.events", "populated 0\nfrozen 1\n", 0644);
	assert_false(scope_is_populated(&scope));
}

static void kill_writes_one_where_the_kernel_takes_it(void **state)
{
	const struct temp *temp = *state;
	const struct scope scope = scope_of(temp);
	char text[16];

	temp_file(temp, "cgroup.kill", "", 0644);
	temp_file(temp, "cgroup.procs", "1\n", 0644);
	assert_int_equal(scope_kill(&scope), 0);
	assert_int_equal(scope_read(&scope, "cgroup.kill", text, sizeof(text)), 0);
	assert_string_equal(text, "1");
}

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		sleep(60);
		_exit(0);
	}
	return pid;
}

static void without_cgroup_kill_each_process_is_killed(void **state)
{
	const struct temp *temp = *state;
	const struct scope scope = scope_of(temp);
	pid_t pids[] = { sleeper(), sleeper() }, spared = sleeper();
	char text[64];

	snprintf(text, sizeof(text), "%d\n%d\n", pids[0], pids[1]);
	temp_file(temp, "cgroup.procs", text, 0644);
	assert_int_equal(scope_kill(&scope), 0);
	assert_int_equal(temp_wait(pids[0]), 128 + SIGKILL);
	assert_int_equal(temp_wait(pids[1]), 128 + SIGKILL);
	assert_int_equal(waitpid(spared, NULL, WNOHANG), 0);
	kill(spared, SIGKILL);
	temp_wait(spared);
}

static void lines_that_are_no_processes_kill_nobody(void **state)
{
	const struct temp *temp = *state;
	const struct scope scope = scope_of(temp);
	pid_t spared = sleeper();

	/* 0 and -1 would be our own group and everybody, 1 the system's init. */
	temp_file(temp, "cgroup.procs", "0\n-1\n1\nx\n99999999999999999999\n\n", 0644);
	assert_int_equal(scope_kill(&scope), 0);
	assert_int_equal(waitpid(spared, NULL, WNOHANG), 0);
	kill(spared, SIGKILL);
	temp_wait(spared);
}

/* A cgroup of the test's own below the root of the kernel's; the caller goes into it, and out again before it ends. */
#define UNIT "stockade-unit.scope"

static void move_to(const char *directory)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cgroup.procs", directory);
	system_write(path, "0", 0644);
}

static void check_kernel(void)
{
	struct scope scope = SCOPE_INIT;
	struct err err = { "" };
	int r, wrong, tries = 0;
	bool was_populated;
	pid_t pid;

	if (mount("none", "/sys/fs/cgroup", "cgroup2", 0, NULL) || (mkdir("/sys/fs/cgroup/" UNIT, 0755) && errno != EEXIST))
		_exit(NO_SYSTEM);
	move_to("/" UNIT);
	pid = sleeper();
	r = scope_open(&scope, pid, UNIT, &err);
	move_to("");
	if (r) {
		fprintf(stderr, "%s\n", err.text);
		kill(pid, SIGKILL);
	}
	was_populated = scope_is_populated(&scope);
	wrong = scope_open(&(struct scope)SCOPE_INIT, pid, UNIT "x", &err);
	scope_kill(&scope);
	waitpid(pid, NULL, 0);
	while (scope_is_populated(&scope) && tries++ < 1000)
		usleep(2000);
	rmdir("/sys/fs/cgroup/" UNIT);
	CHECK(r == 0 && was_populated && tries < 1000);
	CHECK(strcmp(scope.path, "/" UNIT) == 0);
	CHECK(wrong == -ENOENT && strstr(err.text, UNIT "x"));
	CHECK(scope_open(&(struct scope)SCOPE_INIT, 0x7ffffffe, UNIT, &err) < 0);
	scope_close(&scope);
	CHECK(scope.fd == -1);
}

static void the_kernels_cgroup_is_opened_by_its_units_name_only_and_killed_whole(void **state)
{
	(void)state;
	system_run(check_kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(a_files_content_comes_without_its_newline),
		temp_test(an_absent_file_or_scope_is_told),
		temp_test(numbers_are_found_by_the_whole_key),
		temp_test(populated_is_read_from_the_events),
		temp_test(kill_writes_one_where_the_kernel_takes_it),
		temp_test(without_cgroup_kill_each_process_is_killed),
		temp_test(lines_that_are_no_processes_kill_nobody),
		cmocka_unit_test(the_kernels_cgroup_is_opened_by_its_units_name_only_and_killed_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

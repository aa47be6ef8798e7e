/* SPDX-License-Identifier: ISC */
#include "process.h"

#include <signal.h>
#include <sys/prctl.h>

#include "temp.h"

static void stay(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

/* A child of that name which waits to be killed. */
static pid_t start(const char *name)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_NAME, name);
		close(ends[0]);
		if (write(ends[1], "x", 1) != 1)
			_exit(1);
		close(ends[1]);
		stay();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	temp_wait(pid);
}

static char state_of(pid_t pid, char expected)
{
	struct process process = { .state = '?' };

	for (int i = 0; i < 500 && process_read(&process, pid) == 0 && process.state != expected; i++)
		usleep(10000);
	return process.state;
}

static void a_process_has_its_parent_and_start(void **state)
{
	struct process self, again;

	(void)state;
	assert_int_equal(process_read(&self, getpid()), 0);
	assert_int_equal(self.pid, getpid());
	assert_int_equal(self.parent, getppid());
	assert_int_equal(self.state, 'R');
	assert_false(self.flags & PROCESS_EXITING);
	assert_true(self.start > 0);
	assert_int_equal(process_read(&again, getpid()), 0);
	assert_true(self.start == again.start);
}

/* The 22nd field, as awk counts in a name without blanks. */
static void the_start_is_the_one_that_proc_tells(void **state)
{
	pid_t pid = start("plain");
	struct process process;
	char command[64];
	unsigned long long expected;
	FILE *output;

	(void)state;
	snprintf(command, sizeof(command), "exec awk '{ print $22 }' /proc/%d/stat", pid);
	output = popen(command, "re");
	assert_non_null(output);
	assert_int_equal(fscanf(output, "%llu", &expected), 1);
	pclose(output);
	assert_int_equal(process_read(&process, pid), 0);
	assert_true(process.start == expected);
	assert_true(process_is(pid, expected));
	end(pid);
}

static void a_name_that_looks_like_fields_moves_none(void **state)
{
	static const char *const names[] = { ") Z 1 2 3 4", "a b c", ")", "((", "x) R 1", "\n) S 7", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		pid_t pid = start(names[i]);
		struct process process;

		assert_int_equal(process_read(&process, pid), 0);
		assert_int_equal(process.parent, getpid());
		assert_int_equal(state_of(pid, 'S'), 'S');
		assert_true(process_is(pid, process.start));
		end(pid);
	}
}

static void another_start_is_another_process(void **state)
{
	pid_t pid = start("other");
	struct process process;

	(void)state;
	assert_int_equal(process_read(&process, pid), 0);
	assert_false(process_is(pid, process.start + 1));
	assert_false(process_is(pid, process.start - 1));
	assert_false(process_is(pid, 0));
	end(pid);
}

static void a_zombie_can_be_read_but_is_no_living_process(void **state)
{
	pid_t pid = start("zombie");
	struct process process;

	(void)state;
	kill(pid, SIGKILL);
	assert_int_equal(state_of(pid, 'Z'), 'Z');
	assert_int_equal(process_read(&process, pid), 0);
	assert_true(process.flags & PROCESS_EXITING);
	assert_false(process_is(pid, process.start));
	temp_wait(pid);
	assert_int_equal(process_read(&process, pid), -ESRCH);
	assert_false(process_is(pid, process.start));
}

static void a_stopped_process_is_still_the_one_that_started(void **state)
{
	pid_t pid = start("stopped");
	struct process process;

	(void)state;
	kill(pid, SIGSTOP);
	assert_int_equal(state_of(pid, 'T'), 'T');
	assert_int_equal(process_read(&process, pid), 0);
	assert_true(process_is(pid, process.start));
	end(pid);
}

static void a_process_runs_the_program_of_its_name(void **state)
{
	pid_t pid = start("a-long-name) of-its-own"), other = start("a-long");

	(void)state;
	assert_true(process_runs(pid, "a-long-name) of-its-own"));
	assert_true(process_runs(pid, "/usr/bin/a-long-name) of-its-own"));
	assert_false(process_runs(pid, "a-long"));
	assert_false(process_runs(pid, "/a-long-name) of-its-own/bin"));
	assert_true(process_runs(other, "a-long"));
	assert_false(process_runs(other, "a-long-name) of-its-own"));
	kill(pid, SIGKILL);
	assert_int_equal(state_of(pid, 'Z'), 'Z');
	assert_false(process_runs(pid, "a-long-name) of-its-own"));
	end(pid);
	end(other);
}

static void what_outgrows_its_program_is_waited_for(void **state)
{
	pid_t stays = start("starter"), pid = fork();

	(void)state;
	if (pid == 0) {
		prctl(PR_SET_NAME, "starter");
		usleep(50000);
		prctl(PR_SET_NAME, "started");
		stay();
	}
	while (!process_runs(pid, "starter") && !process_runs(pid, "started"))
		usleep(1000);
	process_outgrow(pid, "/bin/starter", 60000);
	assert_true(process_runs(pid, "started"));
	process_outgrow(stays, "/bin/starter", 20);
	assert_true(process_runs(stays, "starter"));
	end(pid);
	end(stays);
	process_outgrow(stays, "/bin/starter", 60000);
}

static void what_is_no_process_is_not_found(void **state)
{
	static const pid_t pids[] = { 0, -1, 0x7fffffff };

	(void)state;
	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++) {
		struct process process;

		assert_int_equal(process_read(&process, pids[i]), -ESRCH);
		assert_false(process_is(pids[i], 0));
	}
}

static void no_descriptor_is_left_open(void **state)
{
	int before = dup(STDOUT_FILENO), after;
	struct process process;

	(void)state;
	close(before);
	for (int i = 0; i < 10; i++) {
		process_read(&process, getpid());
		process_read(&process, -1);
	}
	after = dup(STDOUT_FILENO);
	close(after);
	assert_int_equal(before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_has_its_parent_and_start),
		cmocka_unit_test(the_start_is_the_one_that_proc_tells),
		cmocka_unit_test(a_name_that_looks_like_fields_moves_none),
		cmocka_unit_test(another_start_is_another_process),
		cmocka_unit_test(a_zombie_can_be_read_but_is_no_living_process),
		cmocka_unit_test(a_stopped_process_is_still_the_one_that_started),
		cmocka_unit_test(a_process_runs_the_program_of_its_name),
		cmocka_unit_test(what_outgrows_its_program_is_waited_for),
		cmocka_unit_test(what_is_no_process_is_not_found),
		cmocka_unit_test(no_descriptor_is_left_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "guard.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum scene { HELD, RELEASED, STARTING, WITHOUT_A_START, GUARD_KILLED };

/* As systemd-run: sets a scope up, also when the gateway is gone meanwhile, and becomes something else. */
static void play_starter(int tell, pid_t gateway)
{
	pid_t self = getpid();

	while (getppid() == gateway)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
	if (write(tell, &self, sizeof(self)) != sizeof(self))
		_exit(1);
	prctl(PR_SET_NAME, "bwrap");
}

/* The gateway's part: a guard, and a holder of the pipe that sleeps. Tells the holder's pid, and waits to be killed. */
static void play_gateway(int tell, enum scene scene)
{
	pid_t self = getpid();
	struct guard guard = GUARD_INIT;
	struct err err;
	int release[2];
	pid_t holder;

	if (scene != WITHOUT_A_START && guard_start(&guard, &err))
		_exit(1);
	if (scene == GUARD_KILLED && (kill(guard.pid, SIGKILL) || waitid(P_PID, (id_t)guard.pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT)))
		_exit(1);
	if (pipe(release) || guard_watch(&guard, release[1], "/usr/bin/starter", &err))
		_exit(1);
	/* Before the holder is there: without its name it would not be spared. */
	if (scene == STARTING && prctl(PR_SET_NAME, "starter"))
		_exit(1);
	holder = fork();
	if (holder == 0) {
		/* As execve(2) does in the chain. */
		close(guard.fd);
		if (scene == STARTING)
			play_starter(tell, self);
		for (;;)
			pause();
	}
	close(release[0]);
	close(release[1]);
	if (scene == RELEASED)
		guard_stop(&guard);
	if (write(tell, &holder, sizeof(holder)) != sizeof(holder))
		_exit(1);
	for (;;)
		pause();
}

/* Kills the gateway; true where the holder is gone within three seconds. */
static bool ends_the_holder(enum scene scene)
{
	pid_t gateway, holder = -1, spared = -1;
	bool is_gone = false;
	int tell[2];

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(tell), 0);
	gateway = fork();
	if (gateway == 0)
		play_gateway(tell[1], scene);
	close(tell[1]);
	assert_int_equal(read(tell[0], &holder, sizeof(holder)), sizeof(holder));
	kill(gateway, SIGKILL);
	waitpid(gateway, NULL, 0);
	if (scene == STARTING)
		assert_int_equal(read(tell[0], &spared, sizeof(spared)), sizeof(spared));
	assert_true(scene != STARTING || spared == holder);
	for (int i = 0; i < (scene == RELEASED ? 30 : 300) && !is_gone; i++) {
		is_gone = waitpid(holder, NULL, WNOHANG) == holder;
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
	}
	if (!is_gone) {
		kill(holder, SIGKILL);
		waitpid(holder, NULL, 0);
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	close(tell[0]);
	return is_gone;
}

static void ends_what_a_killed_gateway_held(void **state)
{
	(void)state;
	assert_true(ends_the_holder(HELD));
}

static void lets_the_starter_finish_first(void **state)
{
	(void)state;
	assert_true(ends_the_holder(STARTING));
}

static void is_started_by_the_watch_where_there_is_none(void **state)
{
	(void)state;
	assert_true(ends_the_holder(WITHOUT_A_START));
}

static void is_started_anew_where_it_was_killed(void **state)
{
	(void)state;
	assert_true(ends_the_holder(GUARD_KILLED));
}

static void leaves_a_released_command_alone(void **state)
{
	(void)state;
	assert_false(ends_the_holder(RELEASED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_what_a_killed_gateway_held),
		cmocka_unit_test(lets_the_starter_finish_first),
		cmocka_unit_test(is_started_by_the_watch_where_there_is_none),
		cmocka_unit_test(is_started_anew_where_it_was_killed),
		cmocka_unit_test(leaves_a_released_command_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* A child that leads a group stands in for the namespace's init, below it a shell and what shells start. */
#include "tree.h"

#include <signal.h>
#include <sys/prctl.h>

#include "temp.h"

static int heard; /* where each says its letter, once for each signal */
static char letter;

static void say(int number)
{
	(void)number;
	if (write(heard, &letter, 1) < 0)
		_exit(1);
}

/* Says its letter in small when it is ready. */
static void wait_as(char name)
{
	const char ready = (char)(name + 32);

	letter = name;
	signal(SIGUSR1, say);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(heard, &ready, 1) < 0)
		_exit(1);
	for (;;)
		pause();
}

/* init: I, in its group the command: C; below that one in the same group: S, a leader: L, and a member of L's: M. */
static pid_t start_init(void)
{
	pid_t init = fork();

	if (init)
		return init;
	setpgid(0, 0);
	if (fork() == 0) {
		if (fork() == 0)
			wait_as('S');
		if (fork() == 0) {
			setpgid(0, 0);
			if (fork() == 0)
				wait_as('M');
			wait_as('L');
		}
		wait_as('C');
	}
	wait_as('I');
	_exit(1);
}

/* As many letters, sorted. */
static void read_letters(int fd, size_t count, char *out)
{
	size_t counts[128] = { 0 };
	char byte;

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(read(fd, &byte, 1), 1);
		counts[(unsigned char)byte]++;
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (size_t j = 0; j < counts[i]; j++)
			*out++ = (char)i;
	*out = '\0';
}

static void check(bool is_deep, const char *expected)
{
	char letters[32];
	int ends[2];
	pid_t init;

	assert_int_equal(pipe(ends), 0);
	heard = ends[1];
	fflush(NULL);
	init = start_init();
	read_letters(ends[0], 5, letters);
	assert_string_equal(letters, "cilms");
	alarm(60);
	tree_signal(init, 0, is_deep, SIGUSR1);
	read_letters(ends[0], strlen(expected), letters);
	assert_string_equal(letters, expected);
	/* Twice would be seen by now: each has its own copies of the pipe, which end with them. */
	tree_signal(init, 0, true, SIGKILL);
	close(ends[1]);
	assert_int_equal(read(ends[0], letters, 1), 0);
	alarm(0);
	close(ends[0]);
	waitpid(init, NULL, 0);
}

static void the_inits_group_is_told(void **state)
{
	(void)state;
	check(false, "CIS");
}

static void groups_below_are_told_once_where_all_are_meant(void **state)
{
	(void)state;
	check(true, "CILMS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_inits_group_is_told),
		cmocka_unit_test(groups_below_are_told_once_where_all_are_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

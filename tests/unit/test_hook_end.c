/* SPDX-License-Identifier: ISC */
#include "hook_end.h"

#include <signal.h>

#include "private_hook.h"

/* Another sshd's child: opens, and stays until it is killed. */
static pid_t open_elsewhere(void)
{
	int ends[2];
	char byte = 0;
	pid_t pid;

	CHECK(pipe(ends) == 0);
	pid = fork();
	if (pid == 0) {
		byte = run("open", "nobody", "sshd") == 0 ? 'y' : 'n';
		if (write(ends[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	CHECK(read(ends[0], &byte, 1) == 1 && byte == 'y');
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void check_others(void)
{
	static struct connection connection;
	char theirs[64];
	pid_t other;

	open_host();
	system_profile(PROFILE);
	other = open_elsewhere();
	CHECK(count_records(&connection) == 1 && connection.pid == other);
	snprintf(theirs, sizeof(theirs), "%s", connection.id);
	CHECK(run("close", "nobody", "sshd") == 0);
	CHECK(count_records(&connection) == 1);
	CHECK(is_there(theirs));
	kill(other, SIGKILL);
	temp_wait(other);
	/* The next connection clears away what a crash left. */
	CHECK(run("open", "nobody", "sshd") == 0);
	CHECK(count_records(&connection) == 1 && connection.pid == getpid());
	CHECK(!is_there(theirs));
	CHECK(is_there(connection.id));
}

static void anothers_connection_is_left_alone_until_it_is_dead(void **state)
{
	(void)state;
	system_run(check_others);
}

static void check_changed(void)
{
	static const char *const later[] = { PROFILE "[nonsense]\na = b\n", PROFILE "[tmp]\ndir = /var/lib\n", NULL };
	static struct connection connection;

	open_host();
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		system_profile(PROFILE "[tmp]\nbacking = memory\nsize = 1M\n");
		CHECK(run("open", "nobody", "sshd") == 0);
		CHECK(count_records(&connection) == 1 && connection.has_size && is_there(connection.id));
		if (later[i])
			system_profile(later[i]);
		else
			CHECK(unlink("/etc/stockade/profiles/nobody.ini") == 0);
		CHECK(run("close", "nobody", "sshd") == 0);
		CHECK(count_records(&connection) == 0);
		CHECK(!is_there(last_id));
	}
}

static void a_connection_is_closed_where_it_was_opened_whatever_became_of_the_profile(void **state)
{
	(void)state;
	system_run(check_changed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(anothers_connection_is_left_alone_until_it_is_dead),
		cmocka_unit_test(a_connection_is_closed_where_it_was_opened_whatever_became_of_the_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

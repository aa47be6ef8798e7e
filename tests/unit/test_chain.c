/* SPDX-License-Identifier: ISC */
/*
 * This program stands in for bwrap: started with --args it does what the last word of its arguments says, and
 * most of that is what bwrap never does. Whatever it is, nothing but bwrap's own behaviour may count as held.
 */
#include "chain.h"

#include <signal.h>
#include <sys/prctl.h>

#include "fixture.h"
#include "run.h"
#include "temp.h"

static char own_path[4096];
static int signal_fd = -1;

/* --- the stand-in ---------------------------------------------------------------------------------- */

struct fake {
	int status, block, marker;
};

static void read_options(struct fake *fake, int args_fd)
{
	static char text[65536];
	ssize_t len = pread(args_fd, text, sizeof(text) - 1, 0);
	const char *before = "";

	for (const char *word = text; len > 0 && word < text + len; word += strlen(word) + 1) {
		if (strcmp(before, "--json-status-fd") == 0)
			fake->status = atoi(word);
		if (strcmp(before, "--block-fd") == 0)
			fake->block = atoi(word);
		if (strcmp(word, "/run/stockade") == 0)
			fake->marker = atoi(before);
		before = word;
	}
}

static void finish_marker(const struct fake *fake)
{
	char bytes[64];

	while (read(fake->marker, bytes, sizeof(bytes)) > 0)
		;
	close(fake->marker);
}

static void say_child(const struct fake *fake, pid_t pid)
{
	dprintf(fake->status, "{ \"child-pid\": %d }\n", pid);
}

static void stay(void)
{
	alarm(30);
	for (;;)
		pause();
}

/* The only good one: a child that waits for its byte, and then its status. */
static int behave(const struct fake *fake)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		char byte;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fake->marker);
		_exit(read(fake->block, &byte, 1) == 1 ? 42 : 9);
	}
	say_child(fake, pid);
	finish_marker(fake);
	waitpid(pid, &status, 0);
	dprintf(fake->status, "{ \"exit-code\": %d }\n", WEXITSTATUS(status));
	return WEXITSTATUS(status);
}

static pid_t dead_child(const struct fake *fake)
{
	pid_t pid = fork();

	if (pid == 0) {
		close(fake->marker);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return pid;
}

static int count_environment(void)
{
	int count = 0;

	while (environ && environ[count])
		count++;
	return 100 + count;
}

/* As systemd-run: its work takes a moment, and then it becomes something else. The directory is all that it is given. */
static int start_a_scope(void)
{
	const char *directory = getenv("XDG_RUNTIME_DIR");

	usleep(100000);
	if (!directory || chdir(directory) < 0 || mkdir("scope", 0700) < 0)
		return 1;
	prctl(PR_SET_NAME, "bwrap");
	stay();
	return 0;
}

static int stand_in(int argc, char *argv[])
{
	struct fake fake = { -1, -1, -1 };
	const char *how = argv[argc - 1];

	read_options(&fake, atoi(argv[2]));
	if (strcmp(how, "good") == 0)
		return behave(&fake);
	if (strcmp(how, "exits") == 0)
		return 1;
	if (strcmp(how, "environment") == 0)
		return count_environment();
	if (strcmp(how, "killed") == 0)
		raise(SIGKILL);
	if (strcmp(how, "exits when ready") == 0) {
		say_child(&fake, getpid());
		finish_marker(&fake);
		return 3;
	}
	if (strcmp(how, "garbage") == 0)
		dprintf(fake.status, "bwrap: hello\n");
	if (strcmp(how, "twice") == 0) {
		say_child(&fake, getpid());
		say_child(&fake, getpid());
	}
	if (strcmp(how, "half") == 0)
		dprintf(fake.status, "{ \"child-pid\": %d", getpid());
	if (strcmp(how, "no marker") == 0)
		say_child(&fake, getpid());
	else if (strcmp(how, "dead child") == 0)
		say_child(&fake, dead_child(&fake));
	if (strcmp(how, "no marker") != 0)
		finish_marker(&fake);
	stay();
	return 0;
}

/* --- the tests ------------------------------------------------------------------------------------- */

struct spawned {
	struct fixture f;
	struct chain chain;
};

static void decide(struct spawned *spawned, const char *how)
{
	fixture_open(&spawned->f, FIXTURE_WORKSPACE "[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n");
	free(spawned->f.profile.tool_bwrap);
	spawned->f.profile.tool_bwrap = strdup(own_path);
	strcpy(spawned->f.facts.limits_problem, "not here");
	fixture_decide(&spawned->f);
	strv_release(&spawned->f.plan.command);
	strv_add(&spawned->f.plan.command, how);
	chain_init(&spawned->chain);
}

static void spawn(struct spawned *spawned, const char *how)
{
	struct err err = { "" };

	decide(spawned, how);
	if (chain_spawn(&spawned->chain, &spawned->f.plan, &spawned->f.input, "", &err))
		fail_msg("%s", err.text);
}

/* Whatever happened, nothing is left of it. */
static void finish(struct spawned *spawned)
{
	pid_t pid = spawned->chain.pid;

	chain_close(&spawned->chain);
	assert_true(kill(pid, 0) < 0 && errno == ESRCH);
	assert_int_equal(spawned->chain.status_fd, -1);
	assert_int_equal(spawned->chain.release_fd, -1);
	assert_int_equal(spawned->chain.marker_fd, -1);
	fixture_close(&spawned->f);
}

/* A signal for the gateway some time from now: what ends a wait that has no other end for a minute. */
static pid_t signal_soon(void)
{
	pid_t gateway = getpid(), pid = fork();

	if (pid == 0) {
		usleep(500000);
		kill(gateway, SIGTERM);
		_exit(0);
	}
	return pid;
}

static void assert_never_held(const char *how, int expected, const char *sentence)
{
	struct spawned spawned;
	struct err err = { "" };
	pid_t timer;
	int r;

	spawn(&spawned, how);
	timer = expected == -EINTR ? signal_soon() : -1;
	r = chain_hold(&spawned.chain, signal_fd, &err);
	if (r != expected || !strstr(err.text, sentence))
		fail_msg("%s: %d %s", how, r, err.text);
	assert_false(spawned.chain.status.has_exit_code);
	finish(&spawned);
	/* Closing a chain takes every child, this one too where it is still there. */
	if (timer > 0)
		waitpid(timer, NULL, 0);
}

static void a_chain_that_ends_before_the_command_is_reported_with_its_status(void **state)
{
	(void)state;
	assert_never_held("exits", -ECHILD, "ended with status 1 before the command ran");
	assert_never_held("exits when ready", -ECHILD, "ended with status 3 before the command ran");
	assert_never_held("killed", -ECHILD, "was killed by signal 9 before the command ran");
}

static void a_status_that_is_none_is_never_held(void **state)
{
	(void)state;
	assert_never_held("garbage", -EPROTO, "not what bwrap writes");
	assert_never_held("twice", -EPROTO, "not what bwrap writes");
}

static void half_a_line_or_silence_is_never_held(void **state)
{
	(void)state;
	assert_never_held("half", -EINTR, "signal 15 before the command ran");
	assert_never_held("hangs", -EINTR, "signal 15 before the command ran");
}

static void a_child_that_is_dead_or_not_yet_set_up_is_never_held(void **state)
{
	(void)state;
	assert_never_held("dead child", -EINTR, "signal 15 before the command ran");
	assert_never_held("no marker", -EINTR, "signal 15 before the command ran");
}

static void a_program_that_cannot_be_started_is_reported(void **state)
{
	char good[sizeof(own_path)];

	(void)state;
	memcpy(good, own_path, sizeof(good));
	strcpy(own_path, "/nonexistent/bwrap");
	assert_never_held("exits", -ECHILD, "ended with status 127 before the command ran");
	memcpy(own_path, good, sizeof(good));
}

static void nothing_of_the_environment_reaches_bwrap(void **state)
{
	(void)state;
	setenv("CANARY", "1", 1);
	assert_never_held("environment", -ECHILD, "ended with status 100 before");
}

static void read_to_the_end(struct chain *chain)
{
	while (!chain_reap(chain))
		usleep(1000);
	while (chain_read_status(chain) && !chain->status.has_exit_code)
		;
}

static void a_held_command_runs_when_released_and_its_status_arrives(void **state)
{
	struct spawned spawned;
	struct err err = { "" };

	(void)state;
	spawn(&spawned, "good");
	if (chain_hold(&spawned.chain, signal_fd, &err))
		fail_msg("%s", err.text);
	usleep(100000);
	assert_true(chain_read_status(&spawned.chain));
	assert_false(spawned.chain.status.has_exit_code);
	assert_false(chain_reap(&spawned.chain));
	assert_int_equal(chain_release(&spawned.chain, &err), 0);
	read_to_the_end(&spawned.chain);
	assert_true(spawned.chain.status.has_exit_code);
	assert_int_equal(spawned.chain.status.exit_code, 42);
	finish(&spawned);
}

static void closing_a_held_chain_kills_it_and_releases_nothing(void **state)
{
	struct spawned spawned;
	pid_t child;
	int tries = 0;

	(void)state;
	spawn(&spawned, "good");
	assert_int_equal(chain_hold(&spawned.chain, signal_fd, &(struct err){ "" }), 0);
	child = (pid_t)spawned.chain.status.child_pid;
	finish(&spawned);
	assert_int_equal(WTERMSIG(spawned.chain.wait_status), SIGKILL);
	while (kill(child, 0) == 0 && waitpid(child, NULL, WNOHANG) <= 0 && tries++ < 2000)
		usleep(1000);
	assert_true(tries < 2000);
}

static void closing_a_chain_lets_its_scope_be_set_up_first(void **state)
{
	struct err err = { "" };
	struct spawned spawned;
	char directory[] = "/tmp/stockade-chain-XXXXXX", scope[64];

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(scope, sizeof(scope), "%s/scope", directory);
	decide(&spawned, "good");
	free(spawned.f.profile.tool_systemd_run);
	spawned.f.profile.tool_systemd_run = strdup(own_path);
	spawned.f.plan.facets |= FACET_LIMITS;
	if (chain_spawn(&spawned.chain, &spawned.f.plan, &spawned.f.input, directory, &err))
		fail_msg("%s", err.text);
	finish(&spawned);
	assert_int_equal(WTERMSIG(spawned.chain.wait_status), SIGKILL);
	assert_int_equal(rmdir(scope), 0);
	assert_int_equal(rmdir(directory), 0);
}

static void our_descriptors_are_closed_on_exec(void **state)
{
	struct spawned spawned;

	(void)state;
	spawn(&spawned, "exits");
	assert_true(fcntl(spawned.chain.status_fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(spawned.chain.release_fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(spawned.chain.marker_fd, F_GETFD) & FD_CLOEXEC);
	finish(&spawned);
}

static int block_signals(void **state)
{
	(void)state;
	signal_fd = run_block_signals(&(struct err){ "" });
	return signal_fd < 0;
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_that_ends_before_the_command_is_reported_with_its_status),
		cmocka_unit_test(a_status_that_is_none_is_never_held),
		cmocka_unit_test(half_a_line_or_silence_is_never_held),
		cmocka_unit_test(a_child_that_is_dead_or_not_yet_set_up_is_never_held),
		cmocka_unit_test(a_program_that_cannot_be_started_is_reported),
		cmocka_unit_test(nothing_of_the_environment_reaches_bwrap),
		cmocka_unit_test(a_held_command_runs_when_released_and_its_status_arrives),
		cmocka_unit_test(closing_a_held_chain_kills_it_and_releases_nothing),
		cmocka_unit_test(closing_a_chain_lets_its_scope_be_set_up_first),
		cmocka_unit_test(our_descriptors_are_closed_on_exec),
	};

	if (argc > 1 && strcmp(argv[1], "--user") == 0)
		return start_a_scope();
	if (argc > 2 && strcmp(argv[1], "--args") == 0)
		return stand_in(argc, argv);
	if (!realpath("/proc/self/exe", own_path))
		return 1;
	return cmocka_run_group_tests(tests, block_signals, NULL);
}

/* SPDX-License-Identifier: ISC */
/* A plain child stands in for bwrap and the command at once: how a run is watched and ended. */
#include "run.h"

#include <signal.h>
#include <sys/prctl.h>

#include "profile.h"
#include "temp.h"

typedef void command(int status_fd);

static int signal_fd = -1;
static volatile sig_atomic_t last_signal;
static const struct profile_size no_floor;

/* --- commands --------------------------------------------------------------------------------------- */

static void end_with(int status_fd, int code)
{
	dprintf(status_fd, "{ \"exit-code\": %d }\n", code);
	_exit(code);
}

static void take_signal(int number)
{
	last_signal = number;
}

static void exit_42(int status_fd)
{
	end_with(status_fd, 42);
}

static void exit_without_document(int status_fd)
{
	(void)status_fd;
	_exit(0);
}

static void forge_a_document(int status_fd)
{
	dprintf(status_fd, "{ \"exit-code\": 0 }\n{ \"exit-code\": 0 }\n");
	_exit(1);
}

static void wait_for_signal(int status_fd)
{
	static const int numbers[] = { SIGTERM, SIGHUP, SIGINT, SIGUSR1 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		signal(numbers[i], take_signal);
	while (!last_signal)
		usleep(2000);
	end_with(status_fd, 128 + last_signal);
}

static void ignore_signals(int status_fd)
{
	(void)status_fd;
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	for (;;)
		pause();
}

static void stop_itself(int status_fd)
{
	signal(SIGTERM, take_signal);
	raise(SIGSTOP);
	wait_for_signal(status_fd);
}

static void sleep_a_second(int status_fd)
{
	sleep(1);
	end_with(status_fd, 0);
}

/* --- the tests --------------------------------------------------------------------------------------- */

static void start(struct chain *chain, command *run)
{
	char document[64];
	int ends[2];

	chain_init(chain);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	last_signal = 0;
	fflush(NULL);
	chain->pid = fork();
	if (chain->pid == 0) {
		sigset_t none;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		run(ends[1]);
		_exit(99);
	}
	setpgid(chain->pid, chain->pid);
	close(ends[1]);
	chain->status_fd = ends[0];
	fcntl(chain->status_fd, F_SETFL, O_NONBLOCK);
	snprintf(document, sizeof(document), "{ \"child-pid\": %d }\n", chain->pid);
	status_feed(&chain->status, document, strlen(document));
}

static const struct run_bounds no_bounds = { .timeout = PROFILE_NONE, .idle = PROFILE_NONE, .output_max = UINT64_MAX, .grace = 10, .floor = &no_floor };

static void watch(command *run, const struct run_bounds *bounds, struct run_result *result)
{
	struct session session;
	struct chain chain;

	session_init(&session);
	start(&chain, run);
	run_watch(&chain, signal_fd, &session, bounds, result);
	assert_true(chain.is_reaped);
	assert_true(kill(chain.pid, 0) < 0 && errno == ESRCH);
	chain_close(&chain);
}

static void send_soon(int number)
{
	pid_t gateway = getpid();

	if (fork() == 0) {
		usleep(300000);
		kill(gateway, number);
		_exit(0);
	}
}

static void a_command_that_ends_by_itself_keeps_its_status(void **state)
{
	struct run_result result;

	(void)state;
	watch(exit_42, &no_bounds, &result);
	assert_int_equal(result.end.by, BY_PAYLOAD);
	assert_true(result.end.has_exit_code);
	assert_int_equal(result.end.exit_code, 42);
	assert_string_equal(result.why, "");
	assert_true(result.seconds < 5);
	assert_int_equal(result.peak, -1);
	assert_int_equal(result.oom_kills, -1);
}

static void an_end_without_bwraps_document_is_no_exit_of_the_command(void **state)
{
	struct run_result result;

	(void)state;
	watch(exit_without_document, &no_bounds, &result);
	assert_false(result.end.has_exit_code);
	watch(forge_a_document, &no_bounds, &result);
	assert_false(result.end.has_exit_code);
}

static void at_the_timeout_the_command_is_asked_politely(void **state)
{
	struct run_bounds bounds = no_bounds;
	struct run_result result;

	(void)state;
	bounds.timeout = 1;
	watch(wait_for_signal, &bounds, &result);
	assert_int_equal(result.end.by, BY_TIMEOUT);
	assert_int_equal(result.end.exit_code, 128 + SIGTERM);
	assert_true(result.seconds >= 1 && result.seconds < 5);
	assert_true(strlen(result.why) > 0);
}

static void a_command_that_does_not_listen_is_killed_after_the_grace(void **state)
{
	struct run_bounds bounds = no_bounds;
	struct run_result result;

	(void)state;
	bounds.timeout = 1;
	bounds.grace = 1;
	watch(ignore_signals, &bounds, &result);
	assert_int_equal(result.end.by, BY_TIMEOUT);
	assert_false(result.end.has_exit_code);
	assert_true(result.seconds >= 2 && result.seconds < 8);
}

static void a_stopped_command_hears_the_signal_too(void **state)
{
	struct run_bounds bounds = no_bounds;
	struct run_result result;

	(void)state;
	bounds.timeout = 1;
	bounds.grace = 20;
	watch(stop_itself, &bounds, &result);
	assert_int_equal(result.end.exit_code, 128 + SIGTERM);
	assert_true(result.seconds < 10);
}

static void a_signal_to_the_gateway_ends_the_run_by_whoever_sent_it(void **state)
{
	static const struct {
		int number;
		enum outcome_by by;
	} signals[] = { { SIGTERM, BY_ADMIN }, { SIGHUP, BY_DISCONNECT } };

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct run_result result;

		send_soon(signals[i].number);
		watch(wait_for_signal, &no_bounds, &result);
		assert_int_equal(result.end.by, signals[i].by);
		assert_int_equal(result.end.exit_code, 128 + signals[i].number);
	}
}

static void other_signals_are_the_commands(void **state)
{
	static const int numbers[] = { SIGINT, SIGUSR1 };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct run_result result;

		send_soon(numbers[i]);
		watch(wait_for_signal, &no_bounds, &result);
		assert_int_equal(result.end.by, BY_PAYLOAD);
		assert_int_equal(result.end.exit_code, 128 + numbers[i]);
	}
}

static void the_first_cause_of_an_end_stays(void **state)
{
	struct run_bounds bounds = no_bounds;
	struct run_result result;

	(void)state;
	bounds.timeout = 1;
	bounds.grace = 2;
	send_soon(SIGHUP);
	watch(ignore_signals, &bounds, &result);
	assert_int_equal(result.end.by, BY_DISCONNECT);
	assert_string_equal(result.why, "");
}

/* With pipes for standard output and error; which of them the client has closed. */
static enum outcome_by with_client(bool has_out, bool has_err, command *run)
{
	int out[2], err[2], saved_out = dup(STDOUT_FILENO), saved_err = dup(STDERR_FILENO);
	struct run_result result;

	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(err), 0);
	fflush(NULL);
	dup2(out[1], STDOUT_FILENO);
	dup2(err[1], STDERR_FILENO);
	close(out[1]);
	close(err[1]);
	if (!has_out)
		close(out[0]);
	if (!has_err)
		close(err[0]);
	watch(run, &no_bounds, &result);
	dup2(saved_out, STDOUT_FILENO);
	dup2(saved_err, STDERR_FILENO);
	close(saved_out);
	close(saved_err);
	if (has_out)
		close(out[0]);
	if (has_err)
		close(err[0]);
	return result.end.by;
}

static void a_client_that_closed_both_streams_is_gone(void **state)
{
	(void)state;
	assert_int_equal(with_client(false, false, wait_for_signal), BY_DISCONNECT);
}

/* A killed client of a shared connection: sshd keeps standard error, and closes the other two. */
static void a_client_that_closed_input_and_output_is_gone(void **state)
{
	int saved = dup(STDIN_FILENO), ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(with_client(true, true, sleep_a_second), BY_PAYLOAD);
	close(ends[1]);
	assert_int_equal(with_client(true, true, sleep_a_second), BY_PAYLOAD);
	assert_int_equal(with_client(false, true, wait_for_signal), BY_DISCONNECT);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

static void a_client_that_reads_one_of_them_is_there(void **state)
{
	(void)state;
	assert_int_equal(with_client(true, false, sleep_a_second), BY_PAYLOAD);
	assert_int_equal(with_client(false, true, sleep_a_second), BY_PAYLOAD);
	assert_int_equal(with_client(true, true, sleep_a_second), BY_PAYLOAD);
}

static void fork_and_leave(int status_fd)
{
	if (fork() == 0) {
		setsid();
		for (;;)
			pause();
	}
	end_with(status_fd, 0);
}

static void what_the_command_left_behind_is_killed(void **state)
{
	struct run_bounds bounds = no_bounds;
	struct run_result result;

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	watch(fork_and_leave, &bounds, &result);
	assert_int_equal(result.end.by, BY_PAYLOAD);
	assert_true(waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static int block_signals(void **state)
{
	(void)state;
	signal_fd = run_block_signals(&(struct err){ "" });
	return signal_fd < 0;
}

static void signals_are_read_from_a_descriptor_that_nobody_inherits(void **state)
{
	(void)state;
	assert_true(fcntl(signal_fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(signal_fd, F_GETFL) & O_NONBLOCK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_are_read_from_a_descriptor_that_nobody_inherits),
		cmocka_unit_test(a_command_that_ends_by_itself_keeps_its_status),
		cmocka_unit_test(an_end_without_bwraps_document_is_no_exit_of_the_command),
		cmocka_unit_test(at_the_timeout_the_command_is_asked_politely),
		cmocka_unit_test(a_command_that_does_not_listen_is_killed_after_the_grace),
		cmocka_unit_test(a_stopped_command_hears_the_signal_too),
		cmocka_unit_test(a_signal_to_the_gateway_ends_the_run_by_whoever_sent_it),
		cmocka_unit_test(other_signals_are_the_commands),
		cmocka_unit_test(the_first_cause_of_an_end_stays),
		cmocka_unit_test(a_client_that_closed_both_streams_is_gone),
		cmocka_unit_test(a_client_that_closed_input_and_output_is_gone),
		cmocka_unit_test(a_client_that_reads_one_of_them_is_there),
		cmocka_unit_test(what_the_command_left_behind_is_killed),
	};

	return cmocka_run_group_tests(tests, block_signals, NULL);
}

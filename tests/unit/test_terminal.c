/* SPDX-License-Identifier: ISC */
/* In a child with a terminal of its own for sshd's, whose other end is the user. */
#include "terminal.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "private_system.h"

static int user = -1; /* the user's end of the outer terminal */

static void run(void (*test)(void))
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct winsize size = { .ws_row = 33, .ws_col = 99 };
		int outer;

		alarm(30);
		user = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (user < 0 || unlockpt(user))
			_exit(NO_SYSTEM);
		outer = ioctl(user, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (outer < 0 || dup2(outer, STDIN_FILENO) < 0 || dup2(outer, STDOUT_FILENO) < 0)
			_exit(NO_SYSTEM);
		close(outer);
		ioctl(user, TIOCSWINSZ, &size);
		test();
		_exit(0);
	}
	switch (temp_wait(pid)) {
	case 0:
		return;
	case NO_SYSTEM:
		temp_skip("no pty here");
		return;
	default:
		fail();
	}
}

static void open_terminal(struct terminal *terminal)
{
	struct err err = { "" };

	CHECK(terminal_open(terminal, &err) == 0);
}

/* Relays until the descriptor has something, and reads it. */
static const char *relayed(struct terminal *terminal, int fd)
{
	static char text[256];
	ssize_t got = -1;

	for (int i = 0; i < 500 && got <= 0; i++) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };

		CHECK(terminal_move(terminal) == 0);
		if (poll(&ready, 1, 10) == 1)
			got = read(fd, text, sizeof(text) - 1);
	}
	CHECK(got > 0);
	text[got] = '\0';
	return text;
}

static void check_settings(void)
{
	struct terminal terminal = TERMINAL_INIT;
	struct termios before, outer, inner;
	struct winsize size;
	int flags = fcntl(STDOUT_FILENO, F_GETFL);

	CHECK(tcgetattr(STDIN_FILENO, &before) == 0);
	before.c_cc[VINTR] = 7;
	before.c_lflag &= ~(tcflag_t)ECHO;
	CHECK(tcsetattr(STDIN_FILENO, TCSANOW, &before) == 0);
	open_terminal(&terminal);
	CHECK(tcgetattr(terminal.slave, &inner) == 0 && tcgetattr(STDIN_FILENO, &outer) == 0);
	CHECK(inner.c_cc[VINTR] == 7 && !(inner.c_lflag & ECHO) && (inner.c_lflag & ICANON));
	CHECK(!(outer.c_lflag & (ICANON | ISIG | ECHO)));
	CHECK(ioctl(terminal.slave, TIOCGWINSZ, &size) == 0 && size.ws_row == 33 && size.ws_col == 99);
	CHECK(fcntl(terminal.master, F_GETFD) & FD_CLOEXEC);
	CHECK(fcntl(terminal.slave, F_GETFD) & FD_CLOEXEC);
	terminal_close(&terminal);
	CHECK(tcgetattr(STDIN_FILENO, &outer) == 0);
	CHECK(outer.c_lflag == before.c_lflag && outer.c_iflag == before.c_iflag && outer.c_cc[VINTR] == 7);
	CHECK(fcntl(STDOUT_FILENO, F_GETFL) == flags);
	CHECK(terminal.master == -1 && terminal.slave == -1);
	terminal_close(&terminal);
}

static void settings_and_size_go_inside_and_the_outer_ones_come_back(void **state)
{
	(void)state;
	run(check_settings);
}

static void check_relay(void)
{
	struct terminal terminal = TERMINAL_INIT;

	open_terminal(&terminal);
	CHECK(write(user, "typed\n", 6) == 6);
	CHECK(strcmp(relayed(&terminal, terminal.slave), "typed\n") == 0);
	/* The echo is the inner terminal's. */
	CHECK(strcmp(relayed(&terminal, user), "typed\r\n") == 0);
	CHECK(write(terminal.slave, "printed\n", 8) == 8);
	CHECK(strcmp(relayed(&terminal, user), "printed\r\n") == 0);
	CHECK(terminal.count_in == 6 && terminal.count_out == 16);
	terminal_close(&terminal);
}

static void bytes_go_both_ways_and_are_counted(void **state)
{
	(void)state;
	run(check_relay);
}

static void check_interrupt(void)
{
	struct terminal terminal = TERMINAL_INIT;
	pid_t pid;

	open_terminal(&terminal);
	pid = fork();
	if (pid == 0) {
		/* A shell's background job, as the tests may be, ignores it. */
		signal(SIGINT, SIG_DFL);
		setsid();
		ioctl(terminal.slave, TIOCSCTTY, 0);
		for (;;)
			pause();
	}
	for (int i = 0; i < 1000 && terminal_foreground(&terminal) != pid; i++)
		usleep(2000);
	CHECK(terminal_foreground(&terminal) == pid);
	/* ^C is a byte outside and a signal inside. */
	CHECK(write(user, "\x03", 1) == 1);
	for (int i = 0, status; waitpid(pid, &status, WNOHANG) == 0; i++) {
		CHECK(i < 1000 && terminal_move(&terminal) == 0);
		usleep(2000);
	}
	terminal_close(&terminal);
	CHECK(terminal_foreground(&terminal) == 0);
}

static void an_interrupt_is_the_inner_terminals(void **state)
{
	(void)state;
	run(check_interrupt);
}

static void check_resize(void)
{
	struct terminal terminal = TERMINAL_INIT;
	struct winsize size = { .ws_row = 10, .ws_col = 20 };

	open_terminal(&terminal);
	CHECK(ioctl(user, TIOCSWINSZ, &size) == 0);
	terminal_resize(&terminal);
	size.ws_row = 0;
	CHECK(ioctl(terminal.slave, TIOCGWINSZ, &size) == 0 && size.ws_row == 10 && size.ws_col == 20);
	terminal_close(&terminal);
	terminal_resize(&terminal);
}

static void a_new_size_is_passed_on(void **state)
{
	(void)state;
	run(check_resize);
}

static void check_end(void)
{
	struct terminal terminal = TERMINAL_INIT;
	char text[64] = "";

	open_terminal(&terminal);
	CHECK(write(terminal.slave, "last", 4) == 4);
	terminal_close_slave(&terminal);
	terminal_drain(&terminal, 2000);
	CHECK(terminal.out.is_ended && terminal.out.len == 0);
	CHECK(read(user, text, sizeof(text)) == 4 && memcmp(text, "last", 4) == 0);
	CHECK(!(terminal_wants_master(&terminal) & POLLIN));
	terminal_close(&terminal);
}

static void the_commands_last_output_is_drained_to_its_end(void **state)
{
	(void)state;
	run(check_end);
}

static void check_full(void)
{
	struct terminal terminal = TERMINAL_INIT;
	char text[1024];

	open_terminal(&terminal);
	memset(text, 'a', sizeof(text));
	fcntl(terminal.slave, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 1000; i++) {
		while (write(terminal.slave, text, sizeof(text)) > 0)
			;
		CHECK(terminal_move(&terminal) == 0);
	}
	/* The user reads nothing: a bounded amount waits, and more is not asked for. */
	CHECK(terminal.out.len == TERMINAL_BUFFER);
	CHECK(!(terminal_wants_master(&terminal) & POLLIN));
	CHECK(terminal_wants_output(&terminal) == POLLOUT);
	terminal_drain(&terminal, 300);
	terminal_close(&terminal);
}

static void a_user_who_does_not_read_holds_the_command_back(void **state)
{
	(void)state;
	run(check_full);
}

static void check_gone(void)
{
	struct terminal terminal = TERMINAL_INIT;
	int r = 0;

	signal(SIGHUP, SIG_IGN);
	open_terminal(&terminal);
	CHECK(write(terminal.slave, "x", 1) == 1);
	close(user);
	for (int i = 0; i < 100 && r == 0 && !terminal.in.is_ended; i++) {
		r = terminal_move(&terminal);
		usleep(1000);
	}
	CHECK(r < 0 || terminal.in.is_ended);
	terminal_close(&terminal);
}

static void a_user_who_hung_up_is_seen(void **state)
{
	(void)state;
	run(check_gone);
}

static void check_no_terminal(void)
{
	struct terminal terminal = TERMINAL_INIT;
	struct err err = { "" };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	CHECK(dup2(null, STDIN_FILENO) == STDIN_FILENO);
	CHECK(terminal_open(&terminal, &err) < 0);
	CHECK(err.text[0]);
	terminal_close(&terminal);
	CHECK(terminal.master == -1 && terminal.slave == -1);
}

static void what_is_no_terminal_is_refused(void **state)
{
	(void)state;
	run(check_no_terminal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_and_size_go_inside_and_the_outer_ones_come_back),
		cmocka_unit_test(bytes_go_both_ways_and_are_counted),
		cmocka_unit_test(an_interrupt_is_the_inner_terminals),
		cmocka_unit_test(a_new_size_is_passed_on),
		cmocka_unit_test(the_commands_last_output_is_drained_to_its_end),
		cmocka_unit_test(a_user_who_does_not_read_holds_the_command_back),
		cmocka_unit_test(a_user_who_hung_up_is_seen),
		cmocka_unit_test(what_is_no_terminal_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* Owns the pty pair and the relay between it and sshd's terminal; decides nothing. */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"

static int set_nonblocking(int fd, int *flags)
{
	*flags = fcntl(fd, F_GETFL);
	return *flags < 0 ? -1 : fcntl(fd, F_SETFL, *flags | O_NONBLOCK);
}

int terminal_open(struct terminal *terminal, struct err *err)
{
	struct winsize size;
	struct termios raw;
	int ignored;

	if (tcgetattr(STDIN_FILENO, &terminal->saved) < 0)
		return err_set(err, errno, "the terminal's settings cannot be read: %s", strerror(errno));
	terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal->master < 0 || unlockpt(terminal->master) < 0 || set_nonblocking(terminal->master, &ignored) < 0)
		return err_set(err, errno, "no pty: %s", strerror(errno));
	/* TIOCGPTPEER (Linux 4.13) opens the slave without a path. */
	terminal->slave = ioctl(terminal->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal->slave < 0)
		return err_set(err, errno, "no pty: %s", strerror(errno));
	tcsetattr(terminal->slave, TCSANOW, &terminal->saved);
	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
		ioctl(terminal->slave, TIOCSWINSZ, &size);
	raw = terminal->saved;
	cfmakeraw(&raw);
	if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) < 0)
		return err_set(err, errno, "the terminal's settings cannot be changed: %s", strerror(errno));
	terminal->is_raw = true;
	if (set_nonblocking(STDOUT_FILENO, &terminal->outer_flags) < 0)
		return err_set(err, errno, "the terminal cannot be written without waiting: %s", strerror(errno));
	return 0;
}

void terminal_close_slave(struct terminal *terminal)
{
	if (terminal->slave >= 0)
		close(terminal->slave);
	terminal->slave = -1;
}

short terminal_wants_input(const struct terminal *terminal)
{
	return terminal->in.is_ended || terminal->in.len == TERMINAL_BUFFER ? 0 : POLLIN;
}

short terminal_wants_output(const struct terminal *terminal)
{
	return terminal->out.len ? POLLOUT : 0;
}

short terminal_wants_master(const struct terminal *terminal)
{
	short wants = 0;

	if (terminal->master < 0)
		return 0;
	if (!terminal->out.is_ended && terminal->out.len < TERMINAL_BUFFER)
		wants |= POLLIN;
	if (terminal->in.len)
		wants |= POLLOUT;
	return wants;
}

/* poll() says ready, so that a blocking outer descriptor does not block here. */
static bool is_ready(int fd, short event)
{
	struct pollfd ready = { .fd = fd, .events = event };

	return poll(&ready, 1, 0) == 1 && (ready.revents & (event | POLLHUP | POLLERR));
}

static int fill(struct terminal_flow *flow, int fd, unsigned long long *count)
{
	ssize_t got;

	if (flow->is_ended || flow->len == TERMINAL_BUFFER || !is_ready(fd, POLLIN))
		return 0;
	if (flow->start) {
		memmove(flow->bytes, flow->bytes + flow->start, flow->len);
		flow->start = 0;
	}
	got = read(fd, flow->bytes + flow->len, TERMINAL_BUFFER - flow->len);
	if (got > 0)
		flow->len += (size_t)got;
	if (got > 0)
		*count += (unsigned long long)got;
	if (got == 0)
		flow->is_ended = true;
	return got < 0 && errno != EAGAIN && errno != EINTR ? -errno : 0;
}

static int spill(struct terminal_flow *flow, int fd)
{
	ssize_t put;

	if (!flow->len || !is_ready(fd, POLLOUT))
		return 0;
	put = write(fd, flow->bytes + flow->start, flow->len);
	if (put > 0) {
		flow->start += (size_t)put;
		flow->len -= (size_t)put;
		if (!flow->len)
			flow->start = 0;
	}
	return put < 0 && errno != EAGAIN && errno != EINTR ? -errno : 0;
}

int terminal_move(struct terminal *terminal)
{
	int r = fill(&terminal->in, STDIN_FILENO, &terminal->count_in);

	if (r)
		return r;
	if (terminal->master >= 0) {
		spill(&terminal->in, terminal->master);
		/* EIO: no slave is open any more, pty(7). */
		if (fill(&terminal->out, terminal->master, &terminal->count_out))
			terminal->out.is_ended = true;
	}
	return spill(&terminal->out, STDOUT_FILENO);
}

void terminal_drain(struct terminal *terminal, int ms)
{
	int64_t until = clock_ms() + ms;

	while (!terminal->out.is_ended || terminal->out.len) {
		struct pollfd fds[] = { { .fd = terminal->master, .events = POLLIN }, { .fd = STDOUT_FILENO, .events = POLLOUT } };

		if (!terminal->out.len && poll(fds, 1, 0) <= 0)
			return;
		if (terminal->out.len && poll(fds + 1, 1, 50) < 0)
			return;
		if (fill(&terminal->out, terminal->master, &terminal->count_out))
			terminal->out.is_ended = true;
		if (spill(&terminal->out, STDOUT_FILENO))
			return;
		if (clock_ms() > until)
			return;
	}
}

void terminal_resize(const struct terminal *terminal)
{
	struct winsize size;

	if (terminal->master >= 0 && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
		ioctl(terminal->master, TIOCSWINSZ, &size);
}

pid_t terminal_foreground(const struct terminal *terminal)
{
	pid_t group = terminal->master >= 0 ? tcgetpgrp(terminal->master) : -1;

	return group > 1 ? group : 0;
}

void terminal_close(struct terminal *terminal)
{
	terminal_close_slave(terminal);
	if (terminal->master >= 0)
		close(terminal->master);
	terminal->master = -1;
	/* TCSADRAIN could wait for ever on a client that does not read. */
	if (terminal->is_raw) {
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal->saved);
		fcntl(STDOUT_FILENO, F_SETFL, terminal->outer_flags);
	}
	terminal->is_raw = false;
}

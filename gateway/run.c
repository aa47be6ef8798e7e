/* SPDX-License-Identifier: ISC */
/*
 * Owns the event loop of a running command and the ladder that ends it:
 *   1. a polite signal to the command: HUP when the client is gone, TERM otherwise
 *   2. after the grace, KILL of the namespace's init
 *   3. the scope's cgroup.kill, and KILL of bwrap's monitor
 * and then a look that nothing is left. Decides nothing on grades or statuses.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "tree.h"

#define NEVER INT64_MAX
#define TICK_MS 5000   /* free disk, memory's peak */
#define STEP_MS 3000   /* what a KILL gets before the next step */
#define DRAIN_MS 60000 /* for a client that does not take the last output */

/* Of the scope; the kernel tells each change (POLLPRI), so that none is lost when the scope goes with the command. */
static const char *const event_files[] = { "memory.events", "pids.events" };
#define EVENT_FILES (sizeof(event_files) / sizeof(event_files[0]))

enum rung { RUNG_NONE, RUNG_POLITE, RUNG_KILL_INIT, RUNG_KILL_ALL, RUNG_GIVE_UP };

struct loop {
	struct chain *chain;
	const struct session *session;
	const struct run_bounds *bounds;
	struct run_result *result;
	int signal_fd;
	int init_fd; /* the namespace's init while bwrap's monitor is held, else -1 */
	int event_fds[EVENT_FILES]; /* of event_files, -1 where there is none */
	bool is_status_open;
	bool has_in, has_out, has_err; /* a pipe or socket whose other end is still there */
	bool is_detached;      /* neither was a pipe from the start: nothing shows the client's absence */
	enum rung rung;
	int64_t begin, timeout_at, idle_at, rung_at, tick_at;
	uint64_t moved; /* on the terminal, when idle_at was set */
};

int run_block_signals(struct err *err)
{
	static const int numbers[] = { SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGWINCH, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU,
		SIGUSR1, SIGUSR2, SIGALRM };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&set, numbers[i]);
	if (sigprocmask(SIG_SETMASK, &set, NULL) < 0)
		return err_set(err, errno, "signals cannot be blocked: %s", strerror(errno));
	sigdelset(&set, SIGPIPE);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_set(err, errno, "no signal descriptor: %s", strerror(errno)) : fd;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static void signal_command(const struct loop *loop, int signum)
{
	pid_t init = (pid_t)loop->chain->status.child_pid;
	pid_t foreground = loop->chain->terminal ? terminal_foreground(loop->chain->terminal) : 0;
	/* A shell on a terminal tells its jobs itself that the user hung up. */
	bool is_deep = loop->rung != RUNG_NONE && !(loop->chain->terminal && signum == SIGHUP);

	tree_signal(init, foreground, is_deep, signum);
	/* A stopped command acts on the signal only when it goes on. */
	if (signum != SIGKILL)
		tree_signal(init, foreground, is_deep, SIGCONT);
}

/*
 * bwrap's monitor ends with the command's first process, and its end kills all others. A shell dies of the signal at once
 * while make, below it, still removes half-written targets: stopped, the monitor leaves them their grace. The init ends
 * by itself when the last of them is gone.
 */
static void hold_monitor(struct loop *loop)
{
	pid_t init = (pid_t)loop->chain->status.child_pid;

	if (init == loop->chain->pid)
		return;
	loop->init_fd = (int)syscall(SYS_pidfd_open, init, 0);
	if (loop->init_fd >= 0)
		kill(loop->chain->pid, SIGSTOP);
}

static void let_monitor_go(struct loop *loop)
{
	if (loop->init_fd >= 0)
		kill(loop->chain->pid, SIGCONT);
	fd_close(&loop->init_fd);
}

static void begin_end(struct loop *loop, enum outcome_by by, int signum)
{
	if (loop->rung != RUNG_NONE)
		return;
	loop->result->end.by = by;
	loop->rung = RUNG_POLITE;
	loop->rung_at = clock_ms() + (int64_t)loop->bounds->grace * 1000;
	hold_monitor(loop);
	signal_command(loop, signum);
	if (by == BY_DISCONNECT && loop->chain->terminal)
		terminal_close(loop->chain->terminal);
}

static void climb(struct loop *loop)
{
	loop->rung++;
	loop->rung_at = clock_ms() + STEP_MS;
	if (loop->rung == RUNG_KILL_INIT) {
		signal_command(loop, SIGKILL);
		kill((pid_t)loop->chain->status.child_pid, SIGKILL);
		let_monitor_go(loop);
	}
	if (loop->rung >= RUNG_KILL_ALL) {
		scope_kill(&loop->chain->scope);
		kill(loop->chain->pid, SIGKILL);
	}
	/* Uninterruptible sleep: the kernel ends it when it can, and the run is over for the client. */
	if (loop->rung == RUNG_GIVE_UP)
		loop->rung_at = NEVER;
}

static void sample(struct loop *loop)
{
	struct run_result *result = loop->result;
	const struct scope *scope = &loop->chain->scope;
	long long peak = scope_number(scope, "memory.peak", NULL), oom = scope_number(scope, "memory.events", "oom_kill"),
		  hits = scope_number(scope, "memory.events", "oom"),
		  pids = scope_number(scope, "pids.events", "max"), cpu = scope_number(scope, "cpu.stat", "usage_usec");

	/* Linux before 5.19 has no peak: the highest of what was seen. */
	if (peak < 0)
		peak = scope_number(scope, "memory.current", NULL);
	if (peak > result->peak)
		result->peak = peak;
	if (oom > result->oom_kills)
		result->oom_kills = oom;
	if (hits > result->oom_hits)
		result->oom_hits = hits;
	if (pids > result->pids_max)
		result->pids_max = pids;
	if (cpu > result->cpu_usec)
		result->cpu_usec = cpu;
}

/* Through the descriptor that is polled, which is told of the next change only then. */
static void read_events(struct loop *loop, size_t i)
{
	char text[512];

	if (pread(loop->event_fds[i], text, sizeof(text), 0) < 0)
		fd_close(&loop->event_fds[i]); /* gone with the scope */
}

static void open_events(struct loop *loop)
{
	for (size_t i = 0; i < EVENT_FILES; i++) {
		loop->event_fds[i] = loop->chain->scope.fd < 0 ? -1 : openat(loop->chain->scope.fd, event_files[i], O_RDONLY | O_CLOEXEC);
		if (loop->event_fds[i] >= 0)
			read_events(loop, i);
	}
}

/* Read before the look: what changes between the two is told again. */
static void take_events(struct loop *loop, const struct pollfd *fds)
{
	bool is_any = false;

	for (size_t i = 0; i < EVENT_FILES; i++)
		if (fds[i].revents) {
			read_events(loop, i);
			is_any = true;
		}
	if (is_any)
		sample(loop);
}

static void say_why(struct loop *loop, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first reason is the one that is told. */
static void say_why(struct loop *loop, const char *format, ...)
{
	va_list args;

	if (loop->rung != RUNG_NONE)
		return;
	va_start(args, format);
	vsnprintf(loop->result->why, sizeof(loop->result->why), format, args);
	va_end(args);
}

static void tick(struct loop *loop)
{
	char why[256];

	loop->tick_at = clock_ms() + TICK_MS;
	sample(loop);
	if (session_is_below_floor(loop->session, loop->bounds->floor, why, sizeof(why))) {
		say_why(loop, "the disk of /tmp is nearly full");
		begin_end(loop, BY_DISK, SIGTERM);
	}
}

/* Any byte in either direction puts the end off. */
static void take_idle(struct loop *loop, int64_t now)
{
	const struct terminal *terminal = loop->chain->terminal;

	if (!terminal || loop->bounds->idle == PROFILE_NONE)
		return;
	if (terminal->count_in + terminal->count_out != loop->moved || loop->idle_at == NEVER) {
		loop->moved = terminal->count_in + terminal->count_out;
		loop->idle_at = now + (int64_t)loop->bounds->idle * 1000;
	} else if (now >= loop->idle_at) {
		say_why(loop, "nothing was typed or shown for %llu seconds", (unsigned long long)loop->bounds->idle);
		begin_end(loop, BY_IDLE, SIGTERM);
	}
}

static bool is_over_output(const struct loop *loop)
{
	const struct chain *chain = loop->chain;
	uint64_t count = chain->terminal ? chain->terminal->count_out : 0;

	count += chain->out ? chain->out->count + chain->err->count : 0;
	return count > loop->bounds->output_max;
}

static void say_output(struct loop *loop)
{
	say_why(loop, "it printed more than the %llu bytes that this account may", (unsigned long long)loop->bounds->output_max);
}

static void take_timers(struct loop *loop)
{
	int64_t now = clock_ms();

	if (now >= loop->tick_at)
		tick(loop);
	take_idle(loop, now);
	if (is_over_output(loop)) {
		say_output(loop);
		begin_end(loop, BY_OUTPUT, SIGTERM);
		if (loop->chain->out) {
			relay_stop(loop->chain->out);
			relay_stop(loop->chain->err);
		}
	}
	if (now >= loop->timeout_at) {
		loop->timeout_at = NEVER;
		say_why(loop, "it ran for %llu seconds, as long as this account may", (unsigned long long)loop->bounds->timeout);
		begin_end(loop, BY_TIMEOUT, SIGTERM);
	}
	if (now >= loop->rung_at)
		climb(loop);
}

static void take_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGCHLD:
			break;
		case SIGWINCH:
			if (loop->chain->terminal)
				terminal_resize(loop->chain->terminal);
			break;
		case SIGHUP:
			begin_end(loop, BY_DISCONNECT, SIGHUP);
			break;
		case SIGTERM:
			begin_end(loop, BY_ADMIN, SIGTERM);
			break;
		default:
			/* Meant for the command, by someone who sees only us. */
			signal_command(loop, (int)info.ssi_signo);
		}
	}
}

static int poll_timeout(const struct loop *loop)
{
	int64_t next = loop->tick_at, left;

	if (loop->timeout_at < next)
		next = loop->timeout_at;
	if (loop->idle_at < next)
		next = loop->idle_at;
	if (loop->rung_at < next)
		next = loop->rung_at;
	left = next - clock_ms();
	return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

/*
 * Standard output without its reader is a client that is gone, or one that takes no more ("| head"), which sshd shows
 * alike. With its input open too the latter is meant, and the command learns of it by its next write. A killed client of
 * a shared connection leaves standard error open in sshd, but closes input and output.
 */
static void take_client(struct loop *loop, const struct pollfd *in, const struct pollfd *out, const struct pollfd *err)
{
	short gone = POLLERR | POLLHUP | POLLNVAL;

	if (in->revents & gone)
		loop->has_in = false;
	if (out->revents & gone)
		loop->has_out = false;
	if (err->revents & gone)
		loop->has_err = false;
	if (!loop->is_detached && !loop->has_out && (!loop->has_err || !loop->has_in))
		begin_end(loop, BY_DISCONNECT, SIGHUP);
}

static void take_relays(struct loop *loop)
{
	struct chain *chain = loop->chain;

	if (!chain->out)
		return;
	if (relay_move(chain->out) < 0 && loop->has_out)
		loop->has_out = false;
	if (relay_move(chain->err) < 0 && loop->has_err)
		loop->has_err = false;
}

static void take_terminal(struct loop *loop)
{
	struct terminal *terminal = loop->chain->terminal;

	if (!terminal || terminal->master < 0 || terminal_move(terminal) == 0)
		return;
	begin_end(loop, BY_DISCONNECT, SIGHUP);
	/* Also where another end was under way: its descriptors would be ready for ever. */
	terminal_close(terminal);
}

static short relay_events(const struct relay *relay)
{
	return relay && relay_wants_output(relay) ? POLLOUT : 0;
}

static int relay_source(const struct relay *relay)
{
	return relay && relay_wants_input(relay) ? relay->from : -1;
}

static void turn(struct loop *loop)
{
	struct terminal *terminal = loop->chain->terminal;
	bool has_relay = terminal && terminal->master >= 0;
	struct pollfd fds[] = {
		{ .fd = loop->signal_fd, .events = POLLIN },
		{ .fd = loop->is_status_open ? loop->chain->status_fd : -1, .events = POLLIN },
		{ .fd = has_relay ? (terminal_wants_input(terminal) ? STDIN_FILENO : -1) : loop->has_in ? STDIN_FILENO : -1,
			.events = has_relay ? POLLIN : 0 },
		{ .fd = loop->has_out || (has_relay && terminal_wants_output(terminal)) || relay_events(loop->chain->out) ? STDOUT_FILENO : -1,
			.events = has_relay ? terminal_wants_output(terminal) : relay_events(loop->chain->out) },
		{ .fd = loop->has_err || relay_events(loop->chain->err) ? STDERR_FILENO : -1, .events = relay_events(loop->chain->err) },
		{ .fd = has_relay && terminal_wants_master(terminal) ? terminal->master : -1,
			.events = has_relay ? terminal_wants_master(terminal) : 0 },
		{ .fd = relay_source(loop->chain->out), .events = POLLIN },
		{ .fd = relay_source(loop->chain->err), .events = POLLIN },
		{ .fd = loop->chain->lines ? loop->chain->lines->from : -1, .events = POLLIN },
		{ .fd = loop->result->is_network_lost ? -1 : loop->bounds->helper_fd, .events = POLLIN },
		{ .fd = loop->init_fd, .events = POLLIN },
		{ .fd = loop->event_fds[0], .events = POLLPRI },
		{ .fd = loop->event_fds[1], .events = POLLPRI },
	};

	poll(fds, sizeof(fds) / sizeof(fds[0]), poll_timeout(loop));
	if (fds[1].revents) {
		loop->is_status_open = chain_read_status(loop->chain);
		/* Read before bwrap's monitor is gone, and with it the scope. */
		if (loop->chain->status.has_exit_code)
			sample(loop);
	}
	take_events(loop, &fds[11]);
	if (fds[0].revents)
		take_signals(loop);
	if (has_relay)
		take_terminal(loop);
	else
		take_client(loop, &fds[2], &fds[3], &fds[4]);
	take_relays(loop);
	if (fds[8].revents)
		lines_move(loop->chain->lines);
	if (fds[9].revents)
		loop->result->is_network_lost = true;
	if (fds[10].revents)
		let_monitor_go(loop);
	take_timers(loop);
}

/* Orphans come to us, and are reaped as they end: what is still in the scope then is asked for again and again. */
static void leave_nothing(const struct loop *loop)
{
	const struct scope *scope = &loop->chain->scope;
	int64_t until = clock_ms() + STEP_MS;

	if (scope->fd >= 0 && scope_is_populated(scope))
		scope_kill(scope);
	guard_stop(&loop->chain->guard); /* a child too, which would be killed as an orphan */
	chain_kill_orphans();
	while (scope->fd >= 0 && scope_is_populated(scope) && clock_ms() < until) {
		scope_kill(scope);
		poll(NULL, 0, 5);
	}
}

/*
 * The scope's own count where there was one. Else of all that was reaped here: bwrap's monitor does not wait for the
 * namespace's init, which comes to us as an orphan with the command's share.
 */
static double cpu_seconds(const struct run_result *result)
{
	struct rusage usage = { 0 };
	double reaped, counted = (double)result->cpu_usec / 1e6;

	getrusage(RUSAGE_CHILDREN, &usage);
	reaped = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	return counted > reaped ? counted : reaped;
}

void run_watch(struct chain *chain, int signal_fd, const struct session *session, const struct run_bounds *bounds,
	struct run_result *result)
{
	struct loop loop = { .chain = chain, .session = session, .bounds = bounds, .result = result, .signal_fd = signal_fd,
		.init_fd = -1 };

	*result = (struct run_result){ .end = { .by = BY_PAYLOAD }, .peak = -1, .oom_kills = -1, .oom_hits = -1, .pids_max = -1, .cpu_usec = -1 };
	loop.begin = clock_ms();
	loop.is_status_open = true;
	loop.has_out = is_pipe(STDOUT_FILENO);
	loop.has_err = is_pipe(STDERR_FILENO);
	loop.is_detached = !loop.has_out;
	loop.has_in = true;
	loop.timeout_at = bounds->timeout == PROFILE_NONE ? NEVER : loop.begin + (int64_t)bounds->timeout * 1000;
	loop.rung_at = NEVER;
	loop.idle_at = NEVER;
	loop.tick_at = loop.begin + TICK_MS;
	open_events(&loop);
	while (!chain_reap(chain) && loop.rung < RUNG_GIVE_UP)
		turn(&loop);
	let_monitor_go(&loop);
	/* The last document may still be in the pipe. */
	do
		errno = 0;
	while (chain_read_status(chain) && errno != EAGAIN);
	if (chain->terminal && chain->terminal->master >= 0)
		terminal_drain(chain->terminal, DRAIN_MS);
	if (chain->out) {
		relay_drain(chain->out, DRAIN_MS);
		relay_drain(chain->err, DRAIN_MS);
	}
	/* A command that was over it and gone before it was seen. */
	if (loop.rung == RUNG_NONE && is_over_output(&loop)) {
		say_output(&loop);
		result->end.by = BY_OUTPUT;
	}
	for (size_t i = 0; i < EVENT_FILES; i++)
		fd_close(&loop.event_fds[i]);
	leave_nothing(&loop);
	result->end.has_exit_code = chain->status.has_exit_code && !chain->status.is_broken;
	result->end.exit_code = chain->status.exit_code;
	result->end.oom_kills = result->oom_kills > 0 ? (unsigned long)result->oom_kills : 0;
	result->seconds = (double)(clock_ms() - loop.begin) / 1000;
	result->cpu_seconds = cpu_seconds(result);
}

/* SPDX-License-Identifier: ISC */
/*
 * Owns the start of the chain:
 *   1. make_descriptors()  what bwrap reads its options, filter and files from
 *   2. spawn               one child: it becomes systemd-run, env, bwrap in turn
 *   3. chain_hold()        until all mounts are done and only the release is missing
 *   4. chain_release()     one byte
 * Decides nothing: what fails is reported, plan.c judges.
 */
#include "chain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "process.h"
#include "seccomp.h"
#include "text.h"

/* How long set-up may take: software emulation under load needs many seconds, a hanging tool all of it. */
#define HOLD_SECONDS 60
/* For orphans in uninterruptible sleep, or that fork faster than they are killed. */
#define ORPHANS_SECONDS 3

void chain_init(struct chain *chain)
{
	*chain = (struct chain){ .pid = -1, .status_fd = -1, .release_fd = -1, 
		.marker_fd = -1, .error_fd = -1, .guard = GUARD_INIT, .scope = SCOPE_INIT };
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t put = write(fd, bytes, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return -EIO;
		bytes += put;
		len -= (size_t)put;
	}
	return 0;
}

static int make_memfd(const char *name, const char *bytes, size_t len, int *fd, struct err *err)
{
	*fd = memfd_create(name, MFD_CLOEXEC);
	if (*fd < 0 || write_all(*fd, bytes, len) || lseek(*fd, 0, SEEK_SET) < 0)
		return err_set(err, errno ? errno : EIO, "no memory file for %s: %s", name, strerror(errno));
	return 0;
}

static int make_args(const struct plan *plan, const struct plan_input *input, struct argv_fds *fds, struct err *err)
{
	_cleanup_strv_ struct strv words = STRV_INIT;
	size_t len = 0;
	char *bytes, *end;
	/* Its presence makes the options those that are handed over: filled below. */
	int r = make_memfd("bwrap-args", "", 0, &fds->args, err);

	if (r == 0)
		r = argv_render_bwrap(&words, plan, input, fds, err);
	if (r)
		return r;
	for (size_t i = 0; i < words.len; i++)
		len += strlen(words.items[i]) + 1;
	bytes = end = malloc(len + 1);
	if (!bytes)
		return err_set(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < words.len; i++)
		end = stpcpy(end, words.items[i]) + 1;
	r = write_all(fds->args, bytes, len);
	free(bytes);
	return r || lseek(fds->args, 0, SEEK_SET) < 0 ? err_set(err, EIO, "no memory file for bwrap's options") : 0;
}

/* bwrap reads the session's name to its end and closes: our end then hangs up. */
static int make_marker(struct chain *chain, const char *session, int *fd, struct err *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, errno, "no socket pair: %s", strerror(errno));
	chain->marker_fd = ends[0];
	*fd = ends[1];
	if (write_all(ends[0], session, strlen(session)) || write_all(ends[0], "\n", 1) || shutdown(ends[0], SHUT_WR) < 0)
		return err_set(err, EIO, "the marker cannot be written");
	return 0;
}

static int make_pipes(struct chain *chain, struct argv_fds *fds, struct err *err)
{
	int status[2], block[2];

	if (pipe2(status, O_CLOEXEC) < 0)
		return err_set(err, errno, "no pipe: %s", strerror(errno));
	chain->status_fd = status[0];
	fds->status = status[1];
	fcntl(chain->status_fd, F_SETFL, O_NONBLOCK);
	if (pipe2(block, O_CLOEXEC) < 0)
		return err_set(err, errno, "no pipe: %s", strerror(errno));
	fds->block = block[0];
	fds->sync = block[1];
	chain->release_fd = fcntl(block[1], F_DUPFD_CLOEXEC, 3);
	return chain->release_fd < 0 ? err_set(err, errno, "no descriptor: %s", strerror(errno)) : 0;
}

/* bwrap closes what its options name; anything else would reach the command. */
static bool has_data(const struct plan *plan, enum plan_data data)
{
	for (size_t i = 0; i < plan->ops_len; i++)
		if (plan->ops[i].data == data)
			return true;
	return false;
}

static int make_empties(struct chain *chain, const struct plan *plan, struct argv_fds *fds, struct err *err)
{
	fds->empty = chain->empties;
	for (size_t i = 0; i < plan->ops_len; i++) {
		int r;

		if (plan->ops[i].data != DATA_EMPTY)
			continue;
		if (chain->empties_len == CHAIN_EMPTIES_MAX)
			return err_set(err, E2BIG, "more than %d files are hidden", CHAIN_EMPTIES_MAX);
		r = make_memfd("empty", "", 0, &chain->empties[chain->empties_len++], err);
		if (r)
			return r;
	}
	return 0;
}

static int make_descriptors(struct chain *chain, const struct plan *plan, const struct plan_input *input, struct argv_fds *fds,
	struct err *err)
{
	const struct seccomp_rules rules = {
		.allow = plan->seccomp_allow,
		.has_private_pids = plan->facets & FACET_PIDNS,
		.deny = plan->seccomp_deny,
	};
	int r = make_pipes(chain, fds, err);

	if (r == 0)
		r = make_marker(chain, input->session, &fds->data[DATA_SESSION], err);
	if (r == 0)
		r = seccomp_export(&rules, &fds->seccomp, err);
	for (size_t i = DATA_PASSWD; r == 0 && i < DATA_EMPTY; i++)
		if (has_data(plan, (enum plan_data)i))
			r = make_memfd("file", plan->texts[i], strlen(plan->texts[i]), &fds->data[i], err);
	if (r == 0)
		r = make_empties(chain, plan, fds, err);
	return r ? r : make_args(plan, input, fds, err);
}

static void release_descriptors(struct chain *chain, struct argv_fds *fds)
{
	int *all[] = { &fds->args, &fds->seccomp, &fds->status, &fds->block, &fds->sync };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		fd_close(all[i]);
	for (size_t i = 0; i < DATA_COUNT; i++)
		fd_close(&fds->data[i]);
	while (chain->empties_len)
		fd_close(&chain->empties[--chain->empties_len]);
}

static void keep(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFD, 0);
}

/* In the child: what bwrap is given stays open, everything else has close-on-exec. */
static void keep_descriptors(const struct chain *chain, const struct plan *plan, const struct argv_fds *fds)
{
	const int all[] = { fds->args, fds->seccomp, fds->status, fds->block, fds->sync };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		keep(all[i]);
	for (size_t i = 0; i < DATA_COUNT; i++)
		keep(fds->data[i]);
	for (size_t i = 0; i < chain->empties_len; i++)
		keep(chain->empties[i]);
	for (size_t i = 0; i < plan->ops_len; i++)
		keep(plan->ops[i].fd);
}

static void use_terminal(const struct terminal *terminal)
{
	dup2(terminal->slave, STDIN_FILENO);
	dup2(terminal->slave, STDOUT_FILENO);
	dup2(terminal->slave, STDERR_FILENO);
}

/* What nproc(1) sees: as many cpus as the quota allows, beginning somewhere else in each run. */
static void use_cpus(const struct plan *plan)
{
	cpu_set_t all, some;
	unsigned count, wanted = plan->cpus, seen = 0;

	if (!wanted || sched_getaffinity(0, sizeof(all), &all) < 0)
		return;
	count = (unsigned)CPU_COUNT(&all);
	if (wanted >= count)
		return;
	CPU_ZERO(&some);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		if ((seen + count - plan->cpus_from % count) % count < wanted)
			CPU_SET(cpu, &some);
		seen++;
	}
	sched_setaffinity(0, sizeof(some), &some);
}

/* The child of vfork(2), on our memory until it is another program: it changes none but what it alone looks at. */
static void become_chain(const struct chain *chain, const struct plan *plan, const struct argv_fds *fds, char *const *argv,
	char *const *envp)
{
	sigset_t none;

	if (chain->terminal)
		use_terminal(chain->terminal);
	if (chain->out)
		dup2(chain->out->command_fd, STDOUT_FILENO);
	if (chain->err)
		dup2(chain->err->command_fd, STDERR_FILENO);
	if (chain->lines)
		dup2(chain->lines->command_fd, STDERR_FILENO);
	if (chain->error_fd >= 0)
		dup2(chain->error_fd, STDERR_FILENO);
	use_cpus(plan);
	keep_descriptors(chain, plan, fds);
	if (plan->umask != PROFILE_NONE)
		umask((mode_t)plan->umask);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(argv[0], argv, envp);
	_exit(EXIT_FAILURE);
}

/* No page is copied for what is another program at once. A frame of its own, for what vfork(2) may spoil of its caller's. */
__attribute__((noinline)) static pid_t start(const struct chain *chain, const struct plan *plan, const struct argv_fds *fds, char *const *argv,
	char *const *envp)
{
	pid_t pid = vfork();

	if (pid == 0)
		become_chain(chain, plan, fds, argv, envp);
	return pid;
}

int chain_spawn(struct chain *chain, const struct plan *plan, const struct plan_input *input, const char *runtime_dir,
	struct err *err)
{
	struct argv_fds fds = ARGV_FDS_NONE;
	_cleanup_strv_ struct strv argv = STRV_INIT;
	char runtime[128];
	char *const envp[] = { plan->facets & FACET_LIMITS ? runtime : NULL, NULL };
	int r = make_descriptors(chain, plan, input, &fds, err);

	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", runtime_dir);
	if (r == 0)
		r = argv_render(&argv, plan, input, &fds, err);
	chain->starter = plan->facets & FACET_LIMITS ? input->profile->tool_systemd_run : NULL;
	if (r == 0)
		r = guard_watch(&chain->guard, chain->release_fd, chain->starter, err);
	if (r == 0) {
		chain->pid = start(chain, plan, &fds, argv.items, envp);
		if (chain->pid < 0)
			r = err_set(err, errno, "no process: %s", strerror(errno));
	}
	release_descriptors(chain, &fds);
	return r;
}

bool chain_read_status(struct chain *chain)
{
	char bytes[1024];
	ssize_t got = read(chain->status_fd, bytes, sizeof(bytes));

	if (got > 0)
		status_feed(&chain->status, bytes, (size_t)got);
	return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

bool chain_reap(struct chain *chain)
{
	if (!chain->is_reaped && chain->pid > 0 && waitpid(chain->pid, &chain->wait_status, WNOHANG) == chain->pid)
		chain->is_reaped = true;
	return chain->is_reaped;
}

/*
 * Asleep, and not on its way out. After the marker bwrap still gives up its privileges, and then sleeps nowhere but in its
 * read of the block descriptor; the marker also hangs up when a failing bwrap exits.
 */
static bool is_waiting(long pid)
{
	struct process process;

	return process_read(&process, (pid_t)pid) == 0 && process.state == 'S' && !(process.flags & PROCESS_EXITING);
}

int chain_take_signal(int signal_fd, struct err *err)
{
	struct signalfd_siginfo info;

	while (read(signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGWINCH)
			return err_set(err, EINTR, "signal %u before the command ran", info.ssi_signo);
	return 0;
}

int chain_check(struct chain *chain, struct err *err)
{
	if (!chain_reap(chain))
		return 0;
	if (WIFSIGNALED(chain->wait_status))
		return err_set(err, ECHILD, "the chain was killed by signal %d before the command ran", WTERMSIG(chain->wait_status));
	return err_set(err, ECHILD, "the chain ended with status %d before the command ran", WEXITSTATUS(chain->wait_status));
}

static int held(struct chain *chain, bool has_marker, struct err *err)
{
	int r;

	if (chain->status.is_broken)
		return err_set(err, EPROTO, "bwrap's status is not what bwrap writes");
	if (has_marker && chain->status.child_pid && is_waiting(chain->status.child_pid))
		return 0;
	r = chain_check(chain, err);
	return r ? r : -EAGAIN;
}

int chain_hold(struct chain *chain, int signal_fd, struct err *err)
{
	int64_t begin = clock_ms();
	struct timespec pause = { 1, 0 };
	bool has_marker = false, has_status = true;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = has_status ? chain->status_fd : -1, .events = POLLIN },
			{ .fd = has_marker ? -1 : chain->marker_fd, .events = POLLIN },
			{ .fd = signal_fd, .events = POLLIN },
		};
		int r;

		ppoll(fds, 3, &pause, NULL);
		if (fds[2].revents && (r = chain_take_signal(signal_fd, err)))
			return r;
		if (fds[0].revents)
			has_status = chain_read_status(chain);
		/* From here on nothing announces what comes, the wait or a failure: looked at in growing steps. */
		if (has_marker && pause.tv_nsec < 20000000)
			pause.tv_nsec *= 2;
		if (!has_marker && (fds[1].revents & POLLHUP)) {
			has_marker = true;
			pause = (struct timespec){ 0, 50000 };
		}
		r = held(chain, has_marker, err);
		if (r != -EAGAIN)
			return r;
		if (clock_ms() - begin >= HOLD_SECONDS * 1000)
			return err_set(err, ETIMEDOUT, "the chain was not ready after %d seconds", HOLD_SECONDS);
	}
}

int chain_release(struct chain *chain, struct err *err)
{
	if (write(chain->release_fd, "x", 1) != 1)
		return err_set(err, errno, "the command cannot be released: %s", strerror(errno));
	fd_close(&chain->release_fd);
	fd_close(&chain->marker_fd);
	if (chain->terminal)
		terminal_close_slave(chain->terminal);
	if (chain->out)
		relay_close_command(chain->out);
	if (chain->err)
		relay_close_command(chain->err);
	if (chain->lines)
		lines_close_command(chain->lines);
	return 0;
}

/*
 * Reaps what has ended. True where some are left, a little later or at the next end: the kernel takes its time to take
 * namespaces down, and asking again and again would only hold it up.
 */
static bool reap_some(void)
{
	const struct timespec little = { 0, 20000000 };
	sigset_t set;
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0);
	if (pid < 0)
		return false;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &little);
	return true;
}

void chain_kill_orphans(void)
{
	char path[64], text[4096], *save;
	int64_t begin = clock_ms();

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	do {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

		fd_close(&fd);
		if (len <= 0)
			return;
		text[len] = '\0';
		save = NULL;
		for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
			uint64_t pid;

			if (text_number(word, INT_MAX, &pid) == 0 && pid > 1)
				kill((pid_t)pid, SIGKILL);
		}
		if (!reap_some())
			return;
	} while (clock_ms() - begin < ORPHANS_SECONDS * 1000);
}

void chain_close(struct chain *chain)
{
	bool was_spawned = chain->pid > 0;

	guard_stop(&chain->guard);
	if (chain->pid > 0 && !chain->is_reaped) {
		if (chain->starter)
			process_outgrow(chain->pid, chain->starter, GUARD_PATIENCE_MS);
		kill(chain->pid, SIGKILL);
		if (chain->scope.fd >= 0)
			scope_kill(&chain->scope);
		while (waitpid(chain->pid, &chain->wait_status, 0) < 0 && errno == EINTR)
			;
		chain->is_reaped = true;
	}
	if (was_spawned)
		chain_kill_orphans();
	scope_close(&chain->scope);
	fd_close(&chain->status_fd);
	fd_close(&chain->release_fd);
	fd_close(&chain->marker_fd);
}

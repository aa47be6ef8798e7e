/* SPDX-License-Identifier: ISC */
/*
 * Owns how a network is attached:
 *   1. open_namespaces()  handles from /proc/CHILD/ns, compared with what bwrap said, before anything slow
 *   2. load_rules()       nft, in the run's user and network namespace: refused before anything can be reached
 *   3. start_helper()     slirp4netns, in a scope of its own where the run has one
 *   4. wait_for_helper()  until it says that the device is up
 * The payload cannot change the rules: its capabilities end with bwrap, and in its user namespace it owns nothing.
 * Decides nothing.
 */
#include "network.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <linux/capability.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "argv.h"
#include "clock.h"
#include "fd.h"
#include "process.h"
#include "strv.h"

#define TRIES 2
/* A helper that is merely slow is waited for: only one that hangs reaches this. */
#define READY_SECONDS 20
#define RULES_SECONDS 20
/* What a helper says is kept for the log, and no more than this of it. */
#define SAID_MAX 4096

/* 1. ioctl_ns(2). */
static int open_namespaces(struct network *network, const struct status *status, struct err *err)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%ld/ns/net", status->child_pid);
	network->net_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (network->net_fd < 0 || fstat(network->net_fd, &st) < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (!status->net_namespace || st.st_ino != status->net_namespace || ioctl(network->net_fd, NS_GET_NSTYPE) != CLONE_NEWNET)
		return err_set(err, EPROTO, "%s: is namespace %lu, bwrap's status says %lu", path, (unsigned long)st.st_ino, status->net_namespace);
	network->user_fd = ioctl(network->net_fd, NS_GET_USERNS);
	if (network->user_fd < 0 || ioctl(network->user_fd, NS_GET_NSTYPE) != CLONE_NEWUSER)
		return err_set(err, EPROTO, "%s: its user namespace cannot be opened: %s", path, strerror(errno));
	fcntl(network->user_fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

/* In the child: capabilities(7), of the namespace just entered, kept over execve() although the user is not its root. */
static int keep_net_admin(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	data[0].inheritable |= 1u << CAP_NET_ADMIN;
	if (syscall(SYS_capset, &header, data) < 0 || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0) < 0)
		return -errno;
	return 0;
}

static void take_stdio(int in_fd, int said_fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(in_fd >= 0 ? in_fd : null, STDIN_FILENO);
	dup2(said_fd, STDOUT_FILENO);
	dup2(said_fd, STDERR_FILENO);
}

/* In the child. */
static void become_nft(const struct network *network, char *const *argv, int rules_fd, int said_fd)
{
	char *const environment[] = { NULL };

	take_stdio(rules_fd, said_fd);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || setns(network->user_fd, CLONE_NEWUSER) < 0 || setns(network->net_fd, CLONE_NEWNET) < 0 ||
		keep_net_admin())
		dprintf(STDERR_FILENO, "the run's namespaces cannot be entered: %s", strerror(errno));
	else if (execve(argv[0], argv, environment) < 0)
		dprintf(STDERR_FILENO, "%s: %s", argv[0], strerror(errno));
	_exit(EXIT_FAILURE);
}

/* What was said, on one line. */
static void read_said(int said_fd, char *said, size_t size)
{
	ssize_t len = pread(said_fd, said, size - 1, 0);

	said[len > 0 ? len : 0] = '\0';
	for (char *at = said; (at = strchr(at, '\n'));)
		*at = at[1] ? ';' : '\0';
}

/* Until fd is readable or has hung up; not past the end of the chain that is held meanwhile. */
static int await(int fd, struct chain *held, int signal_fd, int seconds, struct err *err)
{
	int64_t begin = clock_ms();

	for (;;) {
		struct pollfd fds[] = { { .fd = fd, .events = POLLIN }, { .fd = signal_fd, .events = POLLIN } };
		int r;

		poll(fds, 2, 1000);
		if (fds[1].revents && (r = chain_take_signal(signal_fd, err)))
			return r;
		if (held && (r = chain_check(held, err)))
			return r;
		if (fds[0].revents)
			return 0;
		if (clock_ms() - begin >= (int64_t)seconds * 1000)
			return err_set(err, ETIMEDOUT, "no answer after %d seconds", seconds);
	}
}

static void reap(pid_t *pid, int *status)
{
	while (*pid > 0 && waitpid(*pid, status, 0) < 0 && errno == EINTR)
		;
	*pid = -1;
}

/* Runs nft in the run's namespaces; what it says is in said, whole. */
static int run_nft(const struct network *network, struct chain *held, char *const *argv, int rules_fd, int signal_fd, char *said,
	size_t size, struct err *err)
{
	int said_fd = memfd_create("nft", MFD_CLOEXEC), pid_fd, status = -1, r;
	pid_t pid = fork();

	if (pid == 0)
		become_nft(network, argv, rules_fd, said_fd);
	pid_fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (pid_fd < 0)
		r = err_set(err, errno, "no process for %s: %s", argv[0], strerror(errno));
	else
		r = await(pid_fd, held, signal_fd, RULES_SECONDS, err);
	if (r && pid_fd >= 0)
		syscall(SYS_pidfd_send_signal, pid_fd, SIGKILL, NULL, 0);
	reap(&pid, &status);
	read_said(said_fd, said, size);
	fd_close(&pid_fd);
	fd_close(&said_fd);
	if (r == 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		r = err_set(err, EIO, "%s failed: %.300s", argv[0], said);
	return r;
}

/* 2. */
static int load_rules(const struct network *network, struct chain *held, const struct plan *plan, const struct plan_input *input, int signal_fd,
	struct err *err)
{
	char file[] = "-f", dash[] = "-", said[SAID_MAX];
	char *const argv[] = { input->profile->tool_nft, file, dash, NULL };
	int fd = memfd_create("rules", MFD_CLOEXEC), r = 0;
	size_t len = strlen(plan->net_rules);

	if (fd < 0 || write(fd, plan->net_rules, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) < 0)
		r = err_set(err, errno ? errno : EIO, "no memory file for the rules: %s", strerror(errno));
	if (r == 0)
		r = run_nft(network, held, argv, fd, signal_fd, said, sizeof(said), err);
	fd_close(&fd);
	return r;
}

/* In the child: what it needs stays open. Its log is bounded: a write past the limit fails, and is no reason to die. Each flow takes it a descriptor. */
static void become_helper(const struct network *network, const struct argv_helper_fds *fds, char *const *argv, char *const *envp, int said_fd)
{
	const struct rlimit size = { SAID_MAX, SAID_MAX };
	struct rlimit files;
	const int kept[] = { network->user_fd, network->net_fd, fds->ready, fds->exit };
	sigset_t none;

	take_stdio(-1, said_fd);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		fcntl(kept[i], F_SETFD, 0);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &size);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* A process group of its own: what is sent to the gateway's is not for it. */
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(argv[0], argv, envp);
	dprintf(STDERR_FILENO, "%s: %s", argv[0], strerror(errno));
	_exit(EXIT_FAILURE);
}

/* 3. */
static int start_helper(struct network *network, const struct plan *plan, const struct plan_input *input, int ready_fd, int exit_fd,
	int said_fd, struct err *err)
{
	const struct argv_helper_fds fds = { network->user_fd, network->net_fd, ready_fd, exit_fd };
	_cleanup_strv_ struct strv argv = STRV_INIT;
	char runtime[128];
	char *const envp[] = { plan->facets & FACET_LIMITS ? runtime : NULL, NULL };
	int r = argv_render_helper(&argv, plan, input, &fds, err);

	if (r)
		return r;
	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", input->facts->runtime_dir);
	network->starter = plan->facets & FACET_LIMITS ? input->profile->tool_systemd_run : NULL;
	network->helper = fork();
	if (network->helper == 0)
		become_helper(network, &fds, argv.items, envp, said_fd);
	network->helper_fd = network->helper > 0 ? (int)syscall(SYS_pidfd_open, network->helper, 0) : -1;
	return network->helper_fd < 0 ? err_set(err, errno, "no process for the network's helper: %s", strerror(errno)) : 0;
}

/* 4. slirp4netns(1) --ready-fd: "1". Its end before that closes the pipe. */
static int wait_for_helper(int ready_fd, struct chain *held, int said_fd, int signal_fd, struct err *err)
{
	char byte, said[SAID_MAX];
	int r = await(ready_fd, held, signal_fd, READY_SECONDS, err);

	if (r == 0 && (read(ready_fd, &byte, 1) != 1 || byte != '1'))
		r = err_set(err, EIO, "the network's helper ended before it was ready");
	if (r && r != -EINTR && r != -ECHILD) {
		read_said(said_fd, said, sizeof(said));
		err_prefix(err, "%.300s", said[0] ? said : "slirp4netns said nothing");
	}
	return r;
}

static int attach(struct network *network, struct chain *held, const struct plan *plan, const struct plan_input *input, int signal_fd, struct err *err)
{
	int ready[2] = { -1, -1 }, ends[2] = { -1, -1 }, said_fd = memfd_create("helper", MFD_CLOEXEC);
	int r = open_namespaces(network, &held->status, err);

	if (r == 0)
		r = load_rules(network, held, plan, input, signal_fd, err);
	if (r == 0 && (pipe2(ready, O_CLOEXEC) < 0 || pipe2(ends, O_CLOEXEC) < 0))
		r = err_set(err, errno, "no pipe: %s", strerror(errno));
	if (r == 0) {
		network->exit_fd = ends[1];
		ends[1] = -1;
		r = start_helper(network, plan, input, ready[1], ends[0], said_fd, err);
	}
	fd_close(&ready[1]);
	fd_close(&ends[0]);
	if (r == 0)
		r = wait_for_helper(ready[0], held, said_fd, signal_fd, err);
	fd_close(&ready[0]);
	fd_close(&said_fd);
	return r;
}

int network_open(struct network *network, struct chain *held, const struct plan *plan, const struct plan_input *input, int signal_fd, struct err *err)
{
	int r = 0;

	for (int i = 0; i < TRIES; i++) {
		*err = (struct err){ "" };
		r = attach(network, held, plan, input, signal_fd, err);
		if (r == 0)
			return 0;
		network_close(network);
		if (r == -EINTR || r == -ECHILD)
			break;
	}
	return r;
}

/* nft's JSON: { "nftables": [ { "metainfo": … }, { "counter": { …, "packets": N } } ] }. */
static long long find_packets(const char *text)
{
	struct json_object *document = json_tokener_parse(text), *list, *counter, *packets;
	long long count = -1;

	if (!document)
		return -1;
	if (json_object_object_get_ex(document, "nftables", &list) && json_object_is_type(list, json_type_array))
		for (size_t i = 0; i < json_object_array_length(list); i++)
			if (json_object_object_get_ex(json_object_array_get_idx(list, i), "counter", &counter) &&
				json_object_object_get_ex(counter, "packets", &packets))
				count = json_object_get_int64(packets);
	json_object_put(document);
	return count;
}

long long network_count_refused(const struct network *network, const struct plan_input *input)
{
	char words[][12] = { "-j", "list", "counter", "inet", "stockade", "refused" };
	char *const argv[] = { input->profile->tool_nft, words[0], words[1], words[2], words[3], words[4], words[5], NULL };
	char said[SAID_MAX];
	struct err ignored;

	if (network->net_fd < 0 || run_nft(network, NULL, argv, -1, -1, said, sizeof(said), &ignored))
		return -1;
	return find_packets(said);
}

void network_close(struct network *network)
{
	int status;

	fd_close(&network->exit_fd);
	if (network->helper > 0 && network->starter)
		process_outgrow(network->helper, network->starter, GUARD_PATIENCE_MS);
	if (network->helper_fd >= 0)
		syscall(SYS_pidfd_send_signal, network->helper_fd, SIGKILL, NULL, 0);
	reap(&network->helper, &status);
	fd_close(&network->helper_fd);
	fd_close(&network->net_fd);
	fd_close(&network->user_fd);
}

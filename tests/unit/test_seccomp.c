/* SPDX-License-Identifier: ISC */
/*
 * Calls are made for real, in a child with the program loaded.  An errno may be the kernel's own answer as well (EPERM
 * without root), so most tests load the program with its answers moved to MARK + errno, which no kernel gives.
 */
#include "seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MARK 2000
#define KILLED (-SIGSYS)
#define BAD ((long)1) /* an address that nothing is at */

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif

static const struct seccomp_rules defaults = { 0, true, NULL };
static const struct seccomp_rules no_private_pids = { 0, false, NULL };

struct filter {
	struct sock_filter code[BPF_MAXINSNS];
	unsigned short len;
};

static void load_filter(const struct seccomp_rules *rules, unsigned mark, struct filter *filter)
{
	struct err err = { "" };
	ssize_t size;
	int fd = -1, r = seccomp_export(rules, &fd, &err);

	if (r < 0)
		fail_msg("%s", err.text);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	size = read(fd, filter->code, sizeof(filter->code));
	close(fd);
	assert_true(size > 0 && size % (ssize_t)sizeof(filter->code[0]) == 0);
	filter->len = (unsigned short)((size_t)size / sizeof(filter->code[0]));
	for (size_t i = 0; i < filter->len; i++)
		if (filter->code[i].code == (BPF_RET | BPF_K) && (filter->code[i].k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO)
			filter->code[i].k += mark;
}

typedef int (*action)(const void *argument); /* in the child; 0 or an errno */

/* The action's result, or minus the signal that ended it. */
static int under_filter(const struct seccomp_rules *rules, unsigned mark, action act, const void *argument)
{
	struct filter filter;
	int fds[2], result = -1000, status;
	pid_t pid;

	load_filter(rules, mark, &filter);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct sock_fprog program = { filter.len, filter.code };

		signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on with the tests here */
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
			_exit(99);
		result = act(argument);
		_exit(write(fds[1], &result, sizeof(result)) != sizeof(result));
	}
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		result = -WTERMSIG(status);
	else
		assert_int_equal(read(fds[0], &result, sizeof(result)), sizeof(result));
	close(fds[0]);
	return result;
}

struct call {
	const char *text;
	int answer; /* errno, or 0: the filter lets it pass */
	long number;
	long args[6];
};

#define CALL(answer, name, ...) { #name " " #__VA_ARGS__, answer, SYS_##name, { __VA_ARGS__ } }

static int make_call(const void *argument)
{
	const struct call *call = argument;
	const long *args = call->args;
	long r = syscall(call->number, args[0], args[1], args[2], args[3], args[4], args[5]);

	/* A clone() that passed is here twice. */
	if (r == 0 && call->number == SYS_clone)
		_exit(0);
	return r < 0 ? errno : 0;
}

static void assert_answers(const struct seccomp_rules *rules, const struct call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int result = under_filter(rules, MARK, make_call, &calls[i]);

		if (calls[i].answer ? result != MARK + calls[i].answer : result < 0 || result >= MARK)
			fail_msg("%s: wanted %d, got %d", calls[i].text, calls[i].answer ? MARK + calls[i].answer : 0, result);
	}
}

static void every_call_of_the_deny_set_is_answered_by_the_filter(void **state)
{
	static const struct call calls[] = {
		CALL(EPERM, mount, BAD, BAD, BAD),
		CALL(EPERM, umount2, BAD),
		CALL(EPERM, pivot_root, BAD, BAD),
		CALL(EPERM, move_mount, -1, BAD, -1, BAD),
		CALL(EPERM, open_tree, -1, BAD),
		CALL(EPERM, open_tree_attr, -1, BAD),
		CALL(EPERM, fsopen, BAD),
		CALL(EPERM, fsconfig, -1),
		CALL(EPERM, fsmount, -1),
		CALL(EPERM, fspick, -1, BAD),
		CALL(EPERM, mount_setattr, -1, BAD),
		CALL(EPERM, setns, -1),
		CALL(EPERM, sethostname, BAD, 1),
		CALL(EPERM, setdomainname, BAD, 1),
		CALL(EPERM, add_key, BAD),
		CALL(EPERM, request_key, BAD),
		CALL(EPERM, keyctl, -1),
		CALL(EPERM, bpf, -1),
		CALL(EPERM, perf_event_open, BAD),
		CALL(EPERM, userfaultfd, -1),
		CALL(EPERM, open_by_handle_at, -1, BAD),
		CALL(EPERM, name_to_handle_at, -1, BAD),
		CALL(EPERM, kcmp, -1),
		CALL(EPERM, pidfd_getfd, -1),
		CALL(EPERM, process_vm_readv, -1),
		CALL(EPERM, process_vm_writev, -1),
		CALL(EPERM, kexec_load, 0, 99, BAD, -1),
		CALL(EPERM, kexec_file_load, -1, -1),
		CALL(EPERM, init_module, BAD, 1, BAD),
		CALL(EPERM, finit_module, -1, BAD),
		CALL(EPERM, delete_module, BAD),
		CALL(EPERM, swapon, BAD),
		CALL(EPERM, swapoff, BAD),
		CALL(EPERM, reboot, 0, 0, 0),
		CALL(EPERM, acct, BAD),
		CALL(EPERM, quotactl, -1, BAD),
		CALL(EPERM, quotactl_fd, -1),
		CALL(EPERM, syslog, -1),
		CALL(EPERM, clock_settime, -1, BAD),
		CALL(EPERM, clock_adjtime, -1, BAD),
		CALL(EPERM, settimeofday, BAD),
		CALL(EPERM, adjtimex, BAD),
#ifdef SYS_modify_ldt
		CALL(EPERM, modify_ldt, -1),
#endif
		CALL(ENOSYS, clone3, BAD),
		CALL(ENOSYS, openat2, -1, BAD),
		CALL(ENOSYS, io_uring_setup, 0),
		CALL(ENOSYS, io_uring_enter, -1),
		CALL(ENOSYS, io_uring_register, -1),
	};

	(void)state;
	assert_answers(&defaults, calls, COUNT(calls));
}

static void no_call_can_set_the_setuid_bit(void **state)
{
	static const struct call calls[] = {
		CALL(EPERM, fchmod, -1, S_ISUID),
		CALL(EPERM, fchmod, -1, 07777),
		CALL(EPERM, fchmod, -1, 0xffff0000L | S_ISUID),
		CALL(EPERM, fchmodat, -1, BAD, 04755),
		CALL(EPERM, fchmodat2, -1, BAD, 04755),
		CALL(EPERM, mknodat, -1, BAD, S_IFREG | 04755),
		CALL(EPERM, openat, -1, BAD, O_CREAT, 04755),
		CALL(EPERM, openat, -1, BAD, O_CREAT | O_WRONLY | O_CLOEXEC, S_ISUID),
		CALL(EPERM, openat, -1, BAD, O_TMPFILE | O_RDWR, 04700),
		CALL(EPERM, openat, -1, BAD, O_TMPFILE & ~O_DIRECTORY, 04700),
#ifdef SYS_open
		CALL(EPERM, chmod, BAD, 04755),
		CALL(EPERM, chmod, BAD, 0x100000000 | 04755),
		CALL(EPERM, mknod, BAD, S_IFREG | 04755),
		CALL(EPERM, creat, BAD, 04755),
		CALL(EPERM, open, BAD, O_CREAT, 04755),
		CALL(EPERM, open, BAD, O_TMPFILE | O_RDWR, 04755),
		CALL(0, chmod, BAD, 03777),
		CALL(0, creat, BAD, 03777),
		CALL(0, mknod, BAD, S_IFIFO | 03777),
		CALL(0, open, BAD, O_RDONLY, S_ISUID),
		CALL(0, open, BAD, O_CREAT, 03777),
#endif
		CALL(0, fchmod, -1, 03777),
		CALL(0, fchmodat, -1, BAD, 03777),
		CALL(0, fchmodat2, -1, BAD, 03777),
		CALL(0, mknodat, -1, BAD, S_IFIFO | 03777),
		CALL(0, openat, -1, BAD, O_RDWR | O_DIRECTORY, S_ISUID), /* no file is made: the mode is not looked at */
		CALL(0, openat, -1, BAD, O_CREAT, 03777),
	};

	(void)state;
	assert_answers(&defaults, calls, COUNT(calls));
}

static void namespaces_cannot_be_made_or_entered(void **state)
{
	static const struct call calls[] = {
		CALL(EPERM, clone, CLONE_NEWUSER | SIGCHLD),
		CALL(EPERM, clone, CLONE_NEWNS | SIGCHLD),
		CALL(EPERM, clone, CLONE_NEWPID | SIGCHLD),
		CALL(EPERM, clone, CLONE_NEWNET | SIGCHLD),
		CALL(EPERM, clone, CLONE_NEWIPC | SIGCHLD),
		CALL(EPERM, clone, CLONE_NEWUTS | SIGCHLD),
		CALL(EPERM, clone, CLONE_NEWCGROUP | SIGCHLD),
		CALL(0, clone, SIGCHLD),
		CALL(EPERM, unshare, CLONE_NEWUSER),
		CALL(EPERM, unshare, CLONE_NEWUSER | CLONE_FS),
		CALL(EPERM, unshare, CLONE_NEWNS),
		CALL(EPERM, unshare, CLONE_NEWPID),
		CALL(EPERM, unshare, CLONE_NEWNET),
		CALL(EPERM, unshare, CLONE_NEWIPC),
		CALL(EPERM, unshare, CLONE_NEWUTS),
		CALL(EPERM, unshare, CLONE_NEWCGROUP),
		CALL(EPERM, unshare, 0x80), /* time */
		CALL(0, unshare, CLONE_FILES | CLONE_FS),
	};

	(void)state;
	assert_answers(&defaults, calls, COUNT(calls));
}

static void terminals_cannot_be_typed_into(void **state)
{
	static const struct call calls[] = {
		CALL(EPERM, ioctl, -1, TIOCSTI, BAD),
		CALL(EPERM, ioctl, -1, TIOCLINUX, BAD),
		CALL(EPERM, ioctl, -1, 0x100000000 | TIOCSTI, BAD),
		CALL(EPERM, ioctl, -1, (long)0xffffffff00000000 | TIOCLINUX, BAD),
		CALL(EPERM, ioctl, -1, TIOCSETD, BAD),
		CALL(EPERM, ioctl, -1, 0x100000000 | TIOCSETD, BAD),
		CALL(0, ioctl, -1, TIOCGETD, BAD),
		CALL(0, ioctl, -1, TIOCGWINSZ, BAD),
		CALL(0, ioctl, -1, TIOCSCTTY, 0),
	};

	(void)state;
	assert_answers(&defaults, calls, COUNT(calls));
}

static void sockets_are_of_four_families_only(void **state)
{
	static const struct call netlink[] = {
		CALL(0, socket, AF_NETLINK, SOCK_RAW, 0),
		CALL(EPROTONOSUPPORT, socket, AF_NETLINK, SOCK_RAW, 9),
		CALL(EPROTONOSUPPORT, socket, AF_NETLINK, SOCK_RAW, 16),
		CALL(EPROTONOSUPPORT, socket, 0x100000000 | AF_NETLINK, SOCK_RAW, 15),
		CALL(0, socket, AF_INET, SOCK_STREAM, 6),
		CALL(EAFNOSUPPORT, socket, 0x100000000 | AF_VSOCK, SOCK_STREAM, 0),
	};

	(void)state;
	for (long family = 0; family < AF_MAX + 2; family++) {
		bool is_known = family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
		const struct call calls[] = {
			CALL(is_known ? 0 : EAFNOSUPPORT, socket, family, SOCK_STREAM, 0),
			CALL(!is_known ? EAFNOSUPPORT : family == AF_UNIX ? 0 : EOPNOTSUPP, socketpair, family, SOCK_STREAM, 0, BAD),
		};

		assert_answers(&defaults, calls, COUNT(calls));
	}
	assert_answers(&defaults, netlink, COUNT(netlink));
}

static void internet_sockets_are_of_the_usual_protocols(void **state)
{
	static const long known[] = { 0, 1, 6, 17, 58, 255, 262 }, others[] = { 2, 33, 59, 115, 132, 136, 256, 261, -1 };

	(void)state;
	for (long family = AF_INET; family <= AF_INET6; family += AF_INET6 - AF_INET) {
		for (size_t i = 0; i < COUNT(known); i++) {
			const struct call call = CALL(0, socket, family, SOCK_STREAM, known[i]);

			assert_answers(&defaults, &call, 1);
		}
		for (size_t i = 0; i < COUNT(others); i++) {
			const struct call calls[] = {
				CALL(EPROTONOSUPPORT, socket, family, SOCK_STREAM, others[i]),
				CALL(EPROTONOSUPPORT, socket, family, SOCK_DGRAM, 0x100000000 | others[i]),
				CALL(EOPNOTSUPP, socketpair, family, SOCK_STREAM, others[i], BAD),
			};

			assert_answers(&defaults, calls, COUNT(calls));
		}
	}
}

static void personality_is_the_usual_one_with_or_without_random_addresses(void **state)
{
	static const struct call calls[] = {
		CALL(0, personality, PER_LINUX),
		CALL(0, personality, ADDR_NO_RANDOMIZE),
		CALL(0, personality, 0xffffffff),
		CALL(0, personality, -1),
		CALL(EPERM, personality, PER_LINUX32),
		CALL(EPERM, personality, READ_IMPLIES_EXEC),
		CALL(EPERM, personality, ADDR_NO_RANDOMIZE | 1),
		CALL(EPERM, personality, ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT),
		CALL(EPERM, personality, 0xfffffffe),
		CALL(EPERM, personality, 0x7fffffff),
		CALL(EPERM, personality, 0x80000000),
	};

	(void)state;
	assert_answers(&defaults, calls, COUNT(calls));
}

static void ptrace_is_for_fences_with_pids_of_their_own_or_where_allowed(void **state)
{
	static const struct seccomp_rules allowed = { SECCOMP_ALLOW_PTRACE, false, NULL };
	static const struct call denied[] = { CALL(EPERM, ptrace, PTRACE_TRACEME) };
	static const struct call passed[] = { CALL(0, ptrace, PTRACE_TRACEME) };

	(void)state;
	assert_answers(&no_private_pids, denied, 1);
	assert_answers(&defaults, passed, 1);
	assert_answers(&allowed, passed, 1);
}

static void each_allowed_word_lifts_its_calls_and_no_others(void **state)
{
	static const struct {
		unsigned allow;
		struct call call;
	} rows[] = {
		{ SECCOMP_ALLOW_USERNS, CALL(0, unshare, CLONE_FS) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, unshare, CLONE_NEWUSER) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, clone, CLONE_NEWUSER | SIGCHLD) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, setns, -1) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, mount, BAD, BAD, BAD) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, umount2, BAD) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, pivot_root, BAD, BAD) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, move_mount, -1, BAD, -1, BAD) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, open_tree, -1, BAD) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, open_tree_attr, -1, BAD) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, fsopen, BAD) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, mount_setattr, -1, BAD) },
		{ SECCOMP_ALLOW_USERNS, CALL(0, sethostname, BAD, 1) },
		{ SECCOMP_ALLOW_USERNS, CALL(ENOSYS, clone3, BAD) },
		{ SECCOMP_ALLOW_KEYRING, CALL(0, keyctl, -1) },
		{ SECCOMP_ALLOW_KEYRING, CALL(0, add_key, BAD) },
		{ SECCOMP_ALLOW_KEYRING, CALL(0, request_key, BAD) },
#ifdef SYS_modify_ldt
		{ SECCOMP_ALLOW_32BIT, CALL(0, modify_ldt, -1) },
#endif
		{ SECCOMP_ALLOW_PERF, CALL(0, perf_event_open, BAD) },
		{ SECCOMP_ALLOW_IO_URING, CALL(0, io_uring_setup, 0) },
		{ SECCOMP_ALLOW_IO_URING, CALL(0, io_uring_enter, -1) },
		{ SECCOMP_ALLOW_IO_URING, CALL(0, io_uring_register, -1) },
	};
	static const struct call held[] = { CALL(EPERM, bpf, -1), CALL(EPERM, fchmod, -1, S_ISUID) };
	static const struct call namespaces[] = { CALL(EPERM, unshare, CLONE_NEWUSER), CALL(EPERM, mount, BAD, BAD, BAD) };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct seccomp_rules rules = { rows[i].allow, true, NULL };

		assert_answers(&rules, &rows[i].call, 1);
		assert_answers(&rules, held, COUNT(held));
		if (rows[i].allow != SECCOMP_ALLOW_USERNS)
			assert_answers(&rules, namespaces, COUNT(namespaces));
	}
}

static void denied_names_are_added_before_all_else(void **state)
{
	static const char *const names[] = { "ptrace", "fchmodat2", "openat", "getppid", "stime", "open_tree_attr", NULL };
	static const struct seccomp_rules rules = { SECCOMP_ALLOW_PTRACE | SECCOMP_ALLOW_USERNS, true, names };
	static const struct call calls[] = {
		CALL(EPERM, ptrace, PTRACE_TRACEME),
		CALL(EPERM, fchmodat2, -1, BAD, 0644),
		CALL(EPERM, openat, -1, BAD, O_RDONLY, 0),
		CALL(EPERM, getppid, 0),
		CALL(EPERM, open_tree_attr, -1, BAD),
		CALL(0, getpid, 0),
	};

	(void)state;
	assert_answers(&rules, calls, COUNT(calls));
}

static void unknown_names_are_refused(void **state)
{
	static const char *const names[] = { "open", "no\"such", NULL };
	static const struct seccomp_rules rules = { 0, true, names };
	struct err err;
	int fd = -1;

	(void)state;
	assert_int_equal(seccomp_export(&rules, &fd, &err), -EINVAL);
	assert_non_null(strstr(err.text, "unknown system call"));
	assert_int_equal(fd, -1);
	assert_true(seccomp_is_syscall("open") && seccomp_is_syscall("fchmodat2") && seccomp_is_syscall("open_tree_attr"));
	assert_false(seccomp_is_syscall("") || seccomp_is_syscall("no_such") || seccomp_is_syscall("OPEN"));
}

static void a_filter_too_long_for_the_kernel_is_refused(void **state)
{
	static const char *names[BPF_MAXINSNS + 1];
	static const struct seccomp_rules rules = { SECCOMP_ALLOW_32BIT, true, names };
	struct err err;
	int fd = -1;

	(void)state;
	/* Every length, so that each place where room can run out is met. */
	for (size_t count = 1; count < BPF_MAXINSNS; count += count < 1850 ? 100 : 1) {
		int r;

		for (size_t i = 0; i < count; i++)
			names[i] = "getppid";
		names[count] = NULL;
		r = seccomp_export(&rules, &fd, &err);
		if (r == 0)
			close(fd);
		else
			assert_int_equal(r, -ENOSYS);
		assert_true(r == 0 || count > 500);
		if (count > 2200)
			break;
	}
	assert_non_null(strstr(err.text, "more than 4096 instructions"));
}

static void allow_words_have_a_bit_each(void **state)
{
	static const char *const words[] = { "ptrace", "userns", "32bit", "keyring", "io_uring", "perf" };
	unsigned seen = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		unsigned bit = seccomp_allow_from_name(words[i]);

		assert_true(bit && !(seen & bit));
		seen |= bit;
	}
	assert_int_equal(seccomp_allow_from_name(""), 0);
	assert_int_equal(seccomp_allow_from_name("bpf"), 0);
	assert_int_equal(seccomp_allow_from_name("Perf"), 0);
}

static void callers_see_the_errno_itself(void **state)
{
	static const struct call calls[] = {
		CALL(EPERM, mount, BAD, BAD, BAD),
		CALL(ENOSYS, clone3, BAD),
		CALL(EAFNOSUPPORT, socket, AF_VSOCK, SOCK_STREAM, 0),
		CALL(EPROTONOSUPPORT, socket, AF_NETLINK, SOCK_RAW, 9),
		CALL(ENOSYS, io_uring_setup, 0),
		{ "no call at all", ENOSYS, -1, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(calls); i++)
		assert_int_equal(under_filter(&defaults, 0, make_call, &calls[i]), calls[i].answer);
}

static void *add_one(void *number)
{
	++*(int *)number;
	return NULL;
}

#define TRY(condition) do { if (!(condition)) return __LINE__; } while (0)

static int try_files(const void *argument)
{
	char dir[] = "/tmp/stockade-test-XXXXXX";
	struct stat st;
	int fd;

	(void)argument;
	TRY(mkdtemp(dir) && chdir(dir) == 0);
	fd = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	TRY(fd >= 0 && fchmod(fd, 0755) == 0 && chmod("file", 02755) == 0);
	TRY(fstat(fd, &st) == 0 && (st.st_mode & 07777) == 02755);
	TRY(mkdir("sub", 02775) == 0 && chmod("sub", 02775) == 0 && chmod("sub", 03777) == 0);
	TRY(mkfifo("fifo", 0600) == 0);
	TRY(chmod("file", 04755) < 0 && fstat(fd, &st) == 0 && !(st.st_mode & S_ISUID));
	TRY(open("new", O_CREAT | O_WRONLY | O_CLOEXEC, 04755) < 0 && access("new", F_OK) < 0);
	TRY(unlink("file") == 0 && unlink("fifo") == 0 && rmdir("sub") == 0 && rmdir(dir) == 0);
	return 0;
}

static int try_processes(const void *argument)
{
	pthread_t thread;
	int number = 0, status;
	pid_t pid = fork();

	(void)argument;
	if (pid == 0)
		_exit(7);
	TRY(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
	TRY(pthread_create(&thread, NULL, add_one, &number) == 0 && pthread_join(thread, NULL) == 0 && number == 1);
	status = system("exit 3");
	TRY(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	return 0;
}

static int try_sockets(const void *argument)
{
	int fds[2];

	(void)argument;
	TRY(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0);
	TRY(socket(AF_INET, SOCK_DGRAM, 0) >= 0);
	TRY(socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
	TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	return 0;
}

static int try_tracing(const void *argument)
{
	pid_t pid = fork();
	int status;

	(void)argument;
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	TRY(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
	TRY(ptrace(PTRACE_CONT, pid, 0, 0) == 0);
	TRY(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return 0;
}

static void ordinary_work_goes_on_under_the_filter(void **state)
{
	(void)state;
	assert_int_equal(under_filter(&defaults, 0, try_files, NULL), 0);
	assert_int_equal(under_filter(&defaults, 0, try_processes, NULL), 0);
	assert_int_equal(under_filter(&defaults, 0, try_sockets, NULL), 0);
	assert_int_equal(under_filter(&defaults, 0, try_tracing, NULL), 0);
}

/* What the kernel does with the program, for architectures that this machine is not. */
static uint32_t interpret(const struct filter *filter, const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (size_t at = 0; at < filter->len; at++) {
		const struct sock_filter *code = &filter->code[at];

		switch (code->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			assert_true(code->k % 4 == 0 && code->k + 4 <= sizeof(*data));
			memcpy(&a, (const char *)data + code->k, sizeof(a));
			break;
		case BPF_JMP | BPF_JA:
			at += code->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			at += a == code->k ? code->jt : code->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			at += a >= code->k ? code->jt : code->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			at += a & code->k ? code->jt : code->jf;
			break;
		case BPF_RET | BPF_K:
			return code->k;
		default:
			fail_msg("instruction %#x", code->code);
		}
	}
	fail_msg("ran over the end");
	return 0;
}

static void assert_on(const struct filter *filter, uint32_t arch, int number, uint64_t first, uint64_t second,
		      uint32_t answer)
{
	struct seccomp_data data = { number, arch, 0, { first, second, 0, 0, 0, 0 } };
	uint32_t got = interpret(filter, &data);

	if (got != answer)
		fail_msg("arch %#x call %d: wanted %#x, got %#x", arch, number, answer, got);
}

static void other_architectures_are_killed(void **state)
{
	static const uint32_t others[] = {
		AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_S390X, AUDIT_ARCH_PPC64LE, 0, UINT32_MAX,
	};
	static const struct seccomp_rules everything = { ~0u & ~(unsigned)SECCOMP_ALLOW_32BIT, true, NULL };
	struct filter filter;

	(void)state;
	for (int round = 0; round < 2; round++) {
		load_filter(round ? &everything : &defaults, 0, &filter);
		for (size_t i = 0; i < COUNT(others); i++)
			for (int number = -1; number < 500; number++)
				assert_on(&filter, others[i], number, 0, 0, SECCOMP_RET_KILL_PROCESS);
	}
}

#ifdef __x86_64__
static void thirty_two_bit_calls_are_under_the_same_rules_where_allowed(void **state)
{
	static const struct seccomp_rules rules = { SECCOMP_ALLOW_32BIT, true, NULL };
	const uint32_t eperm = SECCOMP_RET_ERRNO | EPERM, enosys = SECCOMP_RET_ERRNO | ENOSYS;
	const uint32_t eafnosupport = SECCOMP_RET_ERRNO | EAFNOSUPPORT;
	struct filter filter;

	(void)state;
	load_filter(&rules, 0, &filter);
	assert_on(&filter, AUDIT_ARCH_I386, 20, 0, 0, SECCOMP_RET_ALLOW); /* getpid */
	assert_on(&filter, AUDIT_ARCH_I386, 21, 0, 0, eperm);             /* mount */
	assert_on(&filter, AUDIT_ARCH_I386, 22, 0, 0, eperm);             /* umount */
	assert_on(&filter, AUDIT_ARCH_I386, 25, 0, 0, eperm);             /* stime */
	assert_on(&filter, AUDIT_ARCH_I386, 52, 0, 0, eperm);             /* umount2 */
	assert_on(&filter, AUDIT_ARCH_I386, 404, 0, 0, eperm);            /* clock_settime64 */
	assert_on(&filter, AUDIT_ARCH_I386, 405, 0, 0, eperm);            /* clock_adjtime64 */
	assert_on(&filter, AUDIT_ARCH_I386, 467, 0, 0, eperm);            /* open_tree_attr */
	assert_on(&filter, AUDIT_ARCH_I386, 435, 0, 0, enosys);           /* clone3 */
	assert_on(&filter, AUDIT_ARCH_I386, 15, 0, 04755, eperm);         /* chmod */
	assert_on(&filter, AUDIT_ARCH_I386, 15, 0, 02755, SECCOMP_RET_ALLOW);
	assert_on(&filter, AUDIT_ARCH_I386, 120, CLONE_NEWUSER, 0, eperm); /* clone */
	assert_on(&filter, AUDIT_ARCH_I386, 54, 0, TIOCSTI, eperm);       /* ioctl */
	assert_on(&filter, AUDIT_ARCH_I386, 136, 8, 0, eperm);            /* personality */
	assert_on(&filter, AUDIT_ARCH_I386, 359, AF_VSOCK, 0, eafnosupport); /* socket */
	assert_on(&filter, AUDIT_ARCH_I386, 359, AF_UNIX, 0, SECCOMP_RET_ALLOW);
	assert_on(&filter, AUDIT_ARCH_I386, 360, AF_TIPC, 0, eafnosupport); /* socketpair */
	assert_on(&filter, AUDIT_ARCH_I386, 360, AF_INET, 0, SECCOMP_RET_ERRNO | EOPNOTSUPP);
	assert_on(&filter, AUDIT_ARCH_I386, 360, AF_UNIX, 0, SECCOMP_RET_ALLOW);
	assert_on(&filter, AUDIT_ARCH_I386, 123, 0, 0, SECCOMP_RET_ALLOW); /* modify_ldt */
	assert_on(&filter, AUDIT_ARCH_I386, 102, 1, 0, eafnosupport);     /* socketcall */
	assert_on(&filter, AUDIT_ARCH_I386, 102, 8, 0, eafnosupport);
	assert_on(&filter, AUDIT_ARCH_I386, 102, 3, 0, SECCOMP_RET_ALLOW);
	assert_on(&filter, AUDIT_ARCH_ARM, 20, 0, 0, SECCOMP_RET_KILL_PROCESS);
	assert_on(&filter, AUDIT_ARCH_AARCH64, 20, 0, 0, SECCOMP_RET_KILL_PROCESS);
	assert_on(&filter, AUDIT_ARCH_X86_64, SYS_mount, 0, 0, eperm);
	assert_on(&filter, AUDIT_ARCH_X86_64, SYS_getpid, 0, 0, SECCOMP_RET_ALLOW);
	assert_on(&filter, AUDIT_ARCH_X86_64, 0x40000000 | SYS_getpid, 0, 0, SECCOMP_RET_KILL_PROCESS);
}

static void names_inside_socketcall_cannot_be_denied_to_32_bit_programs(void **state)
{
	static const char *const names[] = { "connect", NULL };
	static const struct seccomp_rules narrow = { 0, true, names }, wide = { SECCOMP_ALLOW_32BIT, true, names };
	struct err err;
	int fd = -1;

	(void)state;
	assert_int_equal(seccomp_export(&narrow, &fd, &err), 0);
	close(fd);
	assert_int_equal(seccomp_export(&wide, &fd, &err), -EINVAL);
	assert_string_equal(err.text, "\"connect\" cannot be denied to 32-bit programs");
}

static int make_x32_call(const void *argument)
{
	(void)argument;
	syscall(0x40000000 | SYS_getpid);
	return 0;
}

/* eax, ebx, ecx as a 32-bit program would have them; a negative errno comes back. */
static int make_32_bit_call(const void *argument)
{
	const long *call = argument;
	long r = call[0];

	__asm__ volatile("int $0x80" : "+a"(r) : "b"(call[1]), "c"(call[2]) : "memory", "r8", "r9", "r10", "r11");
	return (int)r < 0 ? -(int)r : 0;
}

static void x32_calls_kill(void **state)
{
	(void)state;
	assert_int_equal(under_filter(&defaults, 0, make_x32_call, NULL), KILLED);
}

static void thirty_two_bit_calls_kill_unless_allowed(void **state)
{
	static const struct seccomp_rules rules = { SECCOMP_ALLOW_32BIT, true, NULL };
	static const long getpid_32[] = { 20, 0, 0 }, chmod_32[] = { 15, 1, 04755 }, socketcall_32[] = { 102, 1, 0 };
	int r = under_filter(&rules, MARK, make_32_bit_call, getpid_32);

	(void)state;
	assert_int_equal(under_filter(&defaults, MARK, make_32_bit_call, getpid_32), r == -SIGSEGV ? r : KILLED);
	if (r == -SIGSEGV) {
		print_message("note: this kernel runs no 32-bit calls, allowed or not\n");
		return;
	}
	assert_int_equal(r, 0);
	assert_int_equal(under_filter(&rules, MARK, make_32_bit_call, chmod_32), MARK + EPERM);
	assert_int_equal(under_filter(&rules, MARK, make_32_bit_call, socketcall_32), MARK + EAFNOSUPPORT);
}
#endif

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The bound is wide, the figures are for people. The first is what a gateway pays. */
static void a_filter_is_made_in_less_than_fifty_milliseconds(void **state)
{
	struct err err;
	double start = seconds(), first, each;
	struct filter filter;
	int fd;

	(void)state;
	assert_int_equal(seccomp_export(&defaults, &fd, &err), 0);
	first = seconds() - start;
	close(fd);
	start = seconds();
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(seccomp_export(&defaults, &fd, &err), 0);
		close(fd);
	}
	each = (seconds() - start) / 1000;
	load_filter(&defaults, 0, &filter);
	print_message("first %.0f us, then %.0f us each; %d instructions\n", first * 1e6, each * 1e6, filter.len);
	assert_true(first < 0.05 && each < 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_filter_is_made_in_less_than_fifty_milliseconds),
		cmocka_unit_test(every_call_of_the_deny_set_is_answered_by_the_filter),
		cmocka_unit_test(no_call_can_set_the_setuid_bit),
		cmocka_unit_test(namespaces_cannot_be_made_or_entered),
		cmocka_unit_test(terminals_cannot_be_typed_into),
		cmocka_unit_test(sockets_are_of_four_families_only),
		cmocka_unit_test(internet_sockets_are_of_the_usual_protocols),
		cmocka_unit_test(personality_is_the_usual_one_with_or_without_random_addresses),
		cmocka_unit_test(ptrace_is_for_fences_with_pids_of_their_own_or_where_allowed),
		cmocka_unit_test(each_allowed_word_lifts_its_calls_and_no_others),
		cmocka_unit_test(denied_names_are_added_before_all_else),
		cmocka_unit_test(unknown_names_are_refused),
		cmocka_unit_test(a_filter_too_long_for_the_kernel_is_refused),
		cmocka_unit_test(allow_words_have_a_bit_each),
		cmocka_unit_test(callers_see_the_errno_itself),
		cmocka_unit_test(ordinary_work_goes_on_under_the_filter),
		cmocka_unit_test(other_architectures_are_killed),
#ifdef __x86_64__
		cmocka_unit_test(thirty_two_bit_calls_are_under_the_same_rules_where_allowed),
		cmocka_unit_test(names_inside_socketcall_cannot_be_denied_to_32_bit_programs),
		cmocka_unit_test(x32_calls_kill),
		cmocka_unit_test(thirty_two_bit_calls_kill_unless_allowed),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

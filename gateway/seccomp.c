/* SPDX-License-Identifier: ISC */
/*
 * Owns the deny-set: one row a rule, and the BPF program made of the rows.  Never loads it; bwrap does, in the fence.
 *
 * libseccomp knows names and numbers here, but does not write the program.  In a process that has just started, as each
 * gateway has, that takes it 1.0 to 1.7 ms for these rules; "none of these values" (personality) cannot be said to it
 * in less than sixty rules; and for a second architecture it leaves out what it does not know by name.
 *
 * A comparison looks at the low 32 bits of an argument: what the kernel takes of those that are compared.
 */
#include "seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.h"

/* SIBLING: the 32-bit architecture whose programs this one may run, 0: none. */
#if defined(__x86_64__) && defined(__LP64__)
#define NATIVE SCMP_ARCH_X86_64
#define SIBLING SCMP_ARCH_X86
#elif defined(__aarch64__)
#define NATIVE SCMP_ARCH_AARCH64
#define SIBLING SCMP_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE SCMP_ARCH_RISCV64
#define SIBLING 0
#else
/* Elsewhere numbers, the order of clone()'s arguments or socketcall() differ. */
#error "the deny-set is known for x86-64, arm64 and riscv64"
#endif

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif
/* In clone() NEWTIME's bit is part of the exit signal. */
#define NEW_IN_CLONE \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define NEW_IN_UNSHARE (NEW_IN_CLONE | CLONE_NEWTIME)

/* Either makes open() look at the mode.  O_TMPFILE itself holds O_DIRECTORY as well. */
#define CREATES (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))

#define I386_SOCKET 359
#define I386_SOCKETPAIR 360
#define SOCKETCALL_SOCKET 1
#define SOCKETCALL_SOCKETPAIR 8
#define X32_BIT 0x40000000u

/* What programs use of AF_INET and AF_INET6; Go's listeners ask for MPTCP. */
#define INTERNET_PROTOCOLS \
	NONE_OF(2, 7, IPPROTO_IP, IPPROTO_ICMP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMPV6, IPPROTO_RAW, IPPROTO_MPTCP)
#define VALUES_MAX 7

enum test {
	TEST_NONE,
	TEST_ANY_BIT, /* of values[0] */
	TEST_ONE_OF,
	TEST_NONE_OF,
};

struct condition {
	enum test test;
	unsigned arg;
	unsigned count;
	uint32_t values[VALUES_MAX];
};

#define ANY_BIT(arg, bits) { TEST_ANY_BIT, arg, 1, { bits } }
#define ONE_OF(arg, count, ...) { TEST_ONE_OF, arg, count, { __VA_ARGS__ } }
#define NONE_OF(arg, count, ...) { TEST_NONE_OF, arg, count, { __VA_ARGS__ } }

struct rule {
	const char *name;
	int number;       /* the build machine's; negative: it has no such call */
	int other;        /* the sibling's number, 0: ask libseccomp by name */
	int answer;       /* errno */
	unsigned lifted;  /* enum seccomp_allow: any of these drops the rule */
	struct condition when[2]; /* both must hold */
};

#define CALL(name) #name, SCMP_SYS(name), 0
/* Calls newer than libseccomp 2.5.4 (Debian 12) or 2.6.0 (Debian 13).  From 403 on these architectures count alike. */
#define LATE(name, number) #name, number, number

/*
 * First what programs call all the time: such a call cannot be let pass unseen by the kernel's cache of calls that are
 * always allowed, so it should not have to pass the rest of the rows.
 */
static const struct rule table[] = {
	/* No file can be made setuid: an interpreter with that bit would let any local user act as the account. */
	{ CALL(openat), EPERM, 0, { ANY_BIT(2, CREATES), ANY_BIT(3, S_ISUID) } },
	{ CALL(open), EPERM, 0, { ANY_BIT(1, CREATES), ANY_BIT(2, S_ISUID) } },
	/*
	 * Typing into, or pasting on, a terminal that is shared with somebody outside; another line discipline, for which
	 * the kernel loads modules by number (CVE-2017-2636).
	 */
	{ CALL(ioctl), EPERM, 0, { ONE_OF(1, 3, TIOCSTI, TIOCLINUX, TIOCSETD) } },
	{ CALL(clone), EPERM, SECCOMP_ALLOW_USERNS, { ANY_BIT(0, NEW_IN_CLONE) } },
	/* Flags behind a pointer: callers fall back to the calls that can be looked at. */
	{ CALL(clone3), ENOSYS, 0, { { 0 } } },
	{ CALL(openat2), ENOSYS, 0, { { 0 } } },
	/* vsock, alg, bluetooth, packet and the like reach the host past the network namespace, or rarely used kernel code. */
	{ CALL(socket), EAFNOSUPPORT, 0, { NONE_OF(0, 4, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK) } },
	/* getifaddrs() and getaddrinfo() need routing; the other protocols belong to those who administer a host. */
	{ CALL(socket), EPROTONOSUPPORT, 0, { ONE_OF(0, 1, AF_NETLINK), NONE_OF(2, 1, NETLINK_ROUTE) } },
	/* Other protocols of these families are loaded as modules at the first socket: SCTP, L2TP, DCCP, SMC without its family. */
	{ CALL(socket), EPROTONOSUPPORT, 0, { ONE_OF(0, 2, AF_INET, AF_INET6), INTERNET_PROTOCOLS } },
	{ CALL(socketpair), EAFNOSUPPORT, 0, { NONE_OF(0, 4, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK) } },
	/* The kernel's own answer, but it makes both sockets first, of whatever protocol. */
	{ CALL(socketpair), EOPNOTSUPP, 0, { NONE_OF(0, 1, AF_UNIX) } },
	/* i386 only. Its arguments cannot be looked at, so what it would create is refused; the direct calls remain. */
	{ CALL(socketcall), EAFNOSUPPORT, 0, { ONE_OF(0, 2, SOCKETCALL_SOCKET, SOCKETCALL_SOCKETPAIR) } },

	{ CALL(chmod), EPERM, 0, { ANY_BIT(1, S_ISUID) } },
	{ CALL(fchmod), EPERM, 0, { ANY_BIT(1, S_ISUID) } },
	{ CALL(fchmodat), EPERM, 0, { ANY_BIT(2, S_ISUID) } },
	{ LATE(fchmodat2, 452), EPERM, 0, { ANY_BIT(2, S_ISUID) } },
	{ CALL(creat), EPERM, 0, { ANY_BIT(1, S_ISUID) } },
	{ CALL(mknod), EPERM, 0, { ANY_BIT(1, S_ISUID) } },
	{ CALL(mknodat), EPERM, 0, { ANY_BIT(2, S_ISUID) } },
	{ CALL(unshare), EPERM, SECCOMP_ALLOW_USERNS, { ANY_BIT(0, NEW_IN_UNSHARE) } },
	/* Other execution domains undo hardening (READ_IMPLIES_EXEC, ADDR_COMPAT_LAYOUT); debuggers need NO_RANDOMIZE. */
	{ CALL(personality), EPERM, 0, { NONE_OF(0, 3, PER_LINUX, ADDR_NO_RANDOMIZE, 0xffffffff) } },
	{ CALL(ptrace), EPERM, SECCOMP_ALLOW_PTRACE, { { 0 } } },

#define DENY(name) { CALL(name), EPERM, 0, { { 0 } } }
#define DENY_UNLESS(name, lifted) { CALL(name), EPERM, lifted, { { 0 } } }
	DENY_UNLESS(mount, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(umount, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(umount2, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(pivot_root, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(move_mount, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(open_tree, SECCOMP_ALLOW_USERNS),
	{ LATE(open_tree_attr, 467), EPERM, SECCOMP_ALLOW_USERNS, { { 0 } } },
	DENY_UNLESS(fsopen, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(fsconfig, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(fsmount, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(fspick, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(mount_setattr, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(setns, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(sethostname, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(setdomainname, SECCOMP_ALLOW_USERNS),
	DENY_UNLESS(add_key, SECCOMP_ALLOW_KEYRING),
	DENY_UNLESS(request_key, SECCOMP_ALLOW_KEYRING),
	DENY_UNLESS(keyctl, SECCOMP_ALLOW_KEYRING),
	DENY_UNLESS(perf_event_open, SECCOMP_ALLOW_PERF),
	/* x86: 16-bit segments, which only programs of that time need. */
	DENY_UNLESS(modify_ldt, SECCOMP_ALLOW_32BIT),
	/* With it files are opened behind the filter's back, setuid ones too: allowing it gives that rule up. */
	{ CALL(io_uring_setup), ENOSYS, SECCOMP_ALLOW_IO_URING, { { 0 } } },
	{ CALL(io_uring_enter), ENOSYS, SECCOMP_ALLOW_IO_URING, { { 0 } } },
	{ CALL(io_uring_register), ENOSYS, SECCOMP_ALLOW_IO_URING, { { 0 } } },
	DENY(bpf),
	DENY(userfaultfd),
	DENY(open_by_handle_at),
	DENY(name_to_handle_at),
	DENY(kcmp),
	DENY(pidfd_getfd),
	DENY(process_vm_readv),
	DENY(process_vm_writev),
	DENY(kexec_load),
	DENY(kexec_file_load),
	DENY(init_module),
	DENY(finit_module),
	DENY(delete_module),
	DENY(swapon),
	DENY(swapoff),
	DENY(reboot),
	DENY(acct),
	DENY(quotactl),
	DENY(quotactl_fd),
	DENY(syslog),
	DENY(clock_settime),
	DENY(clock_settime64),
	DENY(clock_adjtime),
	DENY(clock_adjtime64),
	DENY(settimeofday),
	DENY(adjtimex),
	DENY(stime),
#undef DENY
#undef DENY_UNLESS
};

#define RULES (sizeof(table) / sizeof(table[0]))

struct program {
	struct sock_filter *code;
	size_t len;
	bool is_full;
	bool holds_number; /* the accumulator, where the next instruction will stand */
};

static void free_pointer(void *pointer)
{
	free(*(void **)pointer);
}

#define _cleanup_free_ __attribute__((cleanup(free_pointer)))
#define _cleanup_close_ __attribute__((cleanup(fd_close)))

unsigned seccomp_allow_from_name(const char *word)
{
	static const struct {
		const char *word;
		unsigned bit;
	} words[] = {
		{ "ptrace", SECCOMP_ALLOW_PTRACE },   { "userns", SECCOMP_ALLOW_USERNS },
		{ "32bit", SECCOMP_ALLOW_32BIT },     { "keyring", SECCOMP_ALLOW_KEYRING },
		{ "io_uring", SECCOMP_ALLOW_IO_URING }, { "perf", SECCOMP_ALLOW_PERF },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(word, words[i].word) == 0)
			return words[i].bit;
	return 0;
}

static const struct rule *find_rule(const char *name)
{
	for (size_t i = 0; i < RULES; i++)
		if (strcmp(name, table[i].name) == 0)
			return &table[i];
	return NULL;
}

bool seccomp_is_syscall(const char *name)
{
	return find_rule(name) || seccomp_syscall_resolve_name(name) != __NR_SCMP_ERROR;
}

static void emit(struct program *program, unsigned code, uint32_t k, unsigned if_true, unsigned if_false)
{
	if (program->len == BPF_MAXINSNS) {
		program->is_full = true;
		return;
	}
	program->code[program->len++] = (struct sock_filter){ (uint16_t)code, (uint8_t)if_true, (uint8_t)if_false, k };
}

static void emit_load(struct program *program, size_t offset)
{
	emit(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void emit_answer(struct program *program, uint32_t answer)
{
	emit(program, BPF_RET | BPF_K, answer, 0, 0);
}

static size_t low_word(unsigned arg)
{
	size_t offset = offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t);

	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? offset + sizeof(uint32_t) : offset;
}

static unsigned condition_len(const struct condition *condition)
{
	return condition->test == TEST_NONE ? 0 : 1 + condition->count;
}

/* Goes on behind itself where the condition holds, else "rest" instructions further. */
static void emit_condition(struct program *program, const struct condition *condition, unsigned rest)
{
	if (condition->test == TEST_NONE)
		return;
	emit_load(program, low_word(condition->arg));
	for (unsigned i = 0; i < condition->count; i++) {
		uint32_t value = condition->values[i];
		unsigned behind = condition->count - i - 1;

		if (condition->test == TEST_ANY_BIT)
			emit(program, BPF_JMP | BPF_JSET | BPF_K, value, 0, rest);
		else if (condition->test == TEST_NONE_OF)
			emit(program, BPF_JMP | BPF_JEQ | BPF_K, value, behind + rest, 0);
		else
			emit(program, BPF_JMP | BPF_JEQ | BPF_K, value, behind, behind ? 0 : rest);
	}
}

/* is_last: no later rule asks about the same call, so one that does not meet the conditions is decided. */
static void emit_rule(struct program *program, int number, const struct rule *rule, bool is_last)
{
	unsigned first = condition_len(&rule->when[0]), second = condition_len(&rule->when[1]);
	bool is_decided = is_last && first;

	if (!program->holds_number)
		emit_load(program, offsetof(struct seccomp_data, nr));
	emit(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, first + second + 1 + is_decided);
	emit_condition(program, &rule->when[0], second + 1);
	emit_condition(program, &rule->when[1], 1);
	emit_answer(program, SECCOMP_RET_ERRNO | ((uint32_t)rule->answer & SECCOMP_RET_DATA));
	if (is_decided)
		emit_answer(program, SECCOMP_RET_ALLOW);
	program->holds_number = is_decided || !first;
}

struct machine {
	uint32_t arch;
	bool is_native;
};

/* Negative: the machine has no such call. */
static int rule_number(const struct machine *machine, const struct rule *rule)
{
	if (machine->is_native)
		return rule->number;
	if (rule->other)
		return rule->other;
	/* libseccomp answers with numbers of its own, since i386 has these in socketcall() as well. */
	if (machine->arch == SCMP_ARCH_X86 && strcmp(rule->name, "socket") == 0)
		return I386_SOCKET;
	if (machine->arch == SCMP_ARCH_X86 && strcmp(rule->name, "socketpair") == 0)
		return I386_SOCKETPAIR;
	return seccomp_syscall_resolve_name_arch(machine->arch, rule->name);
}

static bool has_later_rule(const struct rule *rule)
{
	for (const struct rule *other = rule + 1; other < table + RULES; other++)
		if (strcmp(other->name, rule->name) == 0)
			return true;
	return false;
}

/* A call that i386 has inside socketcall() or ipc() too could still be made there: such a word is refused. */
static bool is_multiplexed(const struct machine *machine, int number)
{
	return machine->arch == SCMP_ARCH_X86 && number <= -100 && number > -300;
}

static int emit_denied(struct program *program, const struct machine *machine, const char *const *names,
		       struct err *err)
{
	for (size_t i = 0; names && names[i]; i++) {
		const struct rule *known = find_rule(names[i]);
		struct rule rule = { names[i], 0, known ? known->other : 0, EPERM, 0, { { 0 } } };
		int number;

		if (!seccomp_is_syscall(names[i]))
			return err_set(err, EINVAL, "unknown system call: \"%s\"", names[i]);
		number = seccomp_syscall_resolve_name_arch(machine->arch, names[i]);
		if (is_multiplexed(machine, number))
			return err_set(err, EINVAL, "\"%s\" cannot be denied to 32-bit programs", names[i]);
		rule.number = rule.other ? rule.other : number;
		number = rule_number(machine, &rule);
		if (number >= 0)
			emit_rule(program, number, &rule, true);
	}
	return 0;
}

/* The accumulator holds the architecture on entry, and does so again behind the block. */
static int emit_machine(struct program *program, const struct machine *machine, const struct seccomp_rules *rules,
			struct err *err)
{
	unsigned lifted = rules->allow | (rules->has_private_pids ? SECCOMP_ALLOW_PTRACE : 0u);
	size_t start;
	int r;

	emit(program, BPF_JMP | BPF_JEQ | BPF_K, machine->arch, 1, 0);
	start = program->len;
	emit(program, BPF_JMP | BPF_JA, 0, 0, 0);
	program->holds_number = false;
	if (machine->arch == SCMP_ARCH_X86_64) {
		/* x32 shares the architecture's name, not its numbers. -1 is no call at all: the kernel says ENOSYS. */
		emit_load(program, offsetof(struct seccomp_data, nr));
		emit(program, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 2);
		emit(program, BPF_JMP | BPF_JEQ | BPF_K, UINT32_MAX, 1, 0);
		emit_answer(program, SECCOMP_RET_KILL_PROCESS);
		program->holds_number = true;
	}
	r = emit_denied(program, machine, rules->deny, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < RULES; i++) {
		int number;

		if (table[i].lifted & lifted)
			continue;
		number = rule_number(machine, &table[i]);
		if (number >= 0)
			emit_rule(program, number, &table[i], !has_later_rule(&table[i]));
	}
	emit_answer(program, SECCOMP_RET_ALLOW);
	if (!program->is_full)
		program->code[start].k = (uint32_t)(program->len - start - 1);
	return 0;
}

static int emit_all(struct program *program, const struct seccomp_rules *rules, struct err *err)
{
	static const struct machine native = { NATIVE, true }, sibling = { SIBLING, false };
	int r;

	emit_load(program, offsetof(struct seccomp_data, arch));
	r = emit_machine(program, &native, rules, err);
	if (r == 0 && sibling.arch && (rules->allow & SECCOMP_ALLOW_32BIT))
		r = emit_machine(program, &sibling, rules, err);
	if (r < 0)
		return r;
	emit_answer(program, SECCOMP_RET_KILL_PROCESS);
	if (program->is_full)
		return err_set(err, ENOSYS, "filter of more than %d instructions", BPF_MAXINSNS);
	return 0;
}

int seccomp_export(const struct seccomp_rules *rules, int *fd, struct err *err)
{
	_cleanup_free_ struct sock_filter *code = malloc(BPF_MAXINSNS * sizeof(*code)); /* pages not written cost nothing */
	_cleanup_close_ int file = -1;
	struct program program = { code, 0, false, false };
	size_t size;
	int r;

	if (!code)
		return err_set(err, ENOMEM, "out of memory");
	r = emit_all(&program, rules, err);
	if (r < 0)
		return r;
	file = memfd_create("stockade-seccomp", MFD_CLOEXEC);
	if (file < 0)
		return err_set(err, errno, "memory file for the filter: %m");
	size = program.len * sizeof(*code);
	if (pwrite(file, code, size, 0) != (ssize_t)size)
		return err_set(err, EIO, "memory file for the filter: short write");
	*fd = file;
	file = -1;
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * The deny-set as a BPF program for bwrap --seccomp.  Default allow: the namespaces and
 * mounts are the wall, this keeps the kernel's rarely needed doors shut behind it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

enum seccomp_allow {
	SECCOMP_ALLOW_PTRACE = 1u << 0,
	SECCOMP_ALLOW_USERNS = 1u << 1,
	SECCOMP_ALLOW_32BIT = 1u << 2,
	SECCOMP_ALLOW_KEYRING = 1u << 3,
	SECCOMP_ALLOW_IO_URING = 1u << 4,
	SECCOMP_ALLOW_PERF = 1u << 5,
};

struct seccomp_rules {
	unsigned allow;           /* enum seccomp_allow, ored */
	bool has_private_pids;    /* then ptrace stays allowed: it reaches the fence's own only */
	const char *const *deny;  /* NULL-terminated further syscall names, EPERM; may be NULL */
};

/* The word of [seccomp] allow for the bit and back; 0 for an unknown word. */
unsigned seccomp_allow_from_name(const char *word);
/* True where libseccomp knows the syscall's name on this machine. */
bool seccomp_is_syscall(const char *name);

/*
 * Writes the program to a new memfd (close-on-exec, offset 0, caller closes).  Errors: -EINVAL
 * for an unknown syscall name, -ENOSYS where libseccomp cannot build it, with a sentence.
 */
int seccomp_export(const struct seccomp_rules *rules, int *fd, struct err *err);

/* SPDX-License-Identifier: ISC */
/*
 * The chain as words: systemd-run, env -i, bwrap, (setsid), prlimit, command. The order is a
 * contract; nothing else in the program puts one of these in front of another.
 */
#pragma once

#include "plan.h"
#include "strv.h"

/* Descriptors that bwrap gets, by number; -1: the chain is for reading (explain), paths and words in their place. */
struct argv_fds {
	int args;    /* bwrap's own options, NUL-separated */
	int seccomp;
	int status;  /* --json-status-fd */
	int block;   /* --block-fd: read end */
	int sync;    /* --sync-fd: its write end, so that only a written byte releases, never a close */
	int data[DATA_COUNT]; /* of generated files and the session's marker */
	const int *empty; /* one for each DATA_EMPTY operation, in their order: bwrap uses a descriptor up; NULL */
};

/* "{passwd}": what stands for a file's descriptor where the chain is for reading. */
const char *argv_data_name(enum plan_data data);

#define ARGV_FDS_NONE { -1, -1, -1, -1, -1, { -1, -1, -1, -1, -1, -1, -1, -1 }, NULL }

/* Of the network's helper; -1: for reading. */
struct argv_helper_fds {
	int user, net; /* the run's namespaces */
	int ready, exit;
};

/* slirp4netns for the held run: not in the chain, beside it. In a scope of its own where the run has one. */
int argv_render_helper(struct strv *argv, const struct plan *plan, const struct plan_input *input, const struct argv_helper_fds *fds,
	struct err *err);

/* The whole chain. */
int argv_render(struct strv *argv, const struct plan *plan, const struct plan_input *input, const struct argv_fds *fds,
	struct err *err);

/* bwrap's options, for the args descriptor. */
int argv_render_bwrap(struct strv *argv, const struct plan *plan, const struct plan_input *input, const struct argv_fds *fds,
	struct err *err);

/* SPDX-License-Identifier: ISC */
/*
 * The one place that decides: from profile, request, facts and session to what will be done,
 * or why not. A refusal is a plan too, so that it reaches the log the same way.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "account.h"
#include "err.h"
#include "facts.h"
#include "profile.h"
#include "request.h"
#include "rules.h"
#include "strv.h"

enum grade { GRADE_FULL, GRADE_PARTIAL, GRADE_REFUSED };

enum plan_reason {
	REASON_NONE,
	REASON_REQUEST, /* called in no known form, as root, or with what no command can be */
	REASON_PROFILE, /* none, broken, or one whose paths may not be shown */
	REASON_DISABLED,
	REASON_ACTOR,
	REASON_RULE,
	REASON_GRADE,
	REASON_BUSY,    /* no place, or the host has no room now */
	REASON_DISK,
	REASON_TOOLS,
	REASON_SESSION, /* no private directory */
	REASON_FENCE,   /* the chain failed before the command ran */
	REASON_NETWORK, /* the private network could not be made */
	REASON_LOG,
};

enum plan_op_kind {
	OP_BIND,
	OP_RO_BIND,
	OP_DEV_BIND,
	OP_SYMLINK,
	OP_DIR,
	OP_TMPFS,
	OP_PROC,
	OP_DEV,
	OP_DATA,   /* a generated file mounted over one that is there */
	OP_FILE,   /* a generated file made where there is room: before the seals */
	OP_SEAL,   /* remount read-only */
};

/* What a generated file holds; those before DATA_EMPTY have their text in the plan. */
enum plan_data { DATA_NONE, DATA_PASSWD, DATA_GROUP, DATA_HOSTS, DATA_RESOLV, DATA_NSSWITCH, DATA_EMPTY, DATA_SESSION, DATA_COUNT };

/* The session's own private directories, in place of a descriptor until they exist. */
enum plan_private { PRIVATE_NONE, PRIVATE_TMP, PRIVATE_VAR_TMP, PRIVATE_HOME, PRIVATE_WORK, PRIVATE_COUNT };

struct plan_op {
	enum plan_op_kind kind;
	char *source;              /* for people, and where fd is -1; owned, NULL */
	int fd;                    /* borrowed from facts or session, -1 */
	enum plan_private private;
	enum plan_data data;
	char *dest;                /* owned */
	unsigned mode;             /* of OP_DIR, OP_TMPFS, OP_DATA; 0: bwrap's own */
	uint64_t size;             /* bytes, of OP_TMPFS */
	const char *why;           /* static */
};

/* A limit as the scope's cgroup must show it. */
struct plan_limit {
	const char *file;     /* "memory.max" */
	bool is_account;      /* of the account's slice, set by root; the others are of the run's scope */
	char property[64];    /* "MemoryMax=1073741824" */
	char expected[40];    /* the file's content */
};

#define PLAN_LIMITS_MAX 12

struct plan {
	/* The decision. */
	enum plan_reason reason; /* REASON_NONE: it runs */
	const char *stage;       /* static; for the log */
	char sentence[512];      /* for the user, lower case */
	char detail[ERR_TEXT_SIZE]; /* for the log */
	enum grade grade;
	unsigned lacks;          /* enum facet */

	/* The run. */
	unsigned facets;         /* what the chain asks for */
	struct plan_op *ops;
	size_t ops_len;
	struct strv env;         /* NAME=value */
	struct strv command;
	struct strv rlimits;     /* prlimit options */
	struct plan_limit limits[PLAN_LIMITS_MAX];
	size_t limits_len;
	char *cwd;
	char *home;              /* inside */
	char *texts[DATA_COUNT]; /* of the generated files; owned, NULL where there is none */
	char *net_rules;         /* nft(8)'s input for the run's network namespace; owned, NULL without a network */
	char *cgroup;            /* the scope's directory, predicted; "" where none can be had */
	unsigned seccomp_allow;  /* enum seccomp_allow */
	bool has_terminal;
	bool has_sftp_log;       /* sftp-server's standard error is its log */
	bool has_output_max;     /* then output is copied, and counted */
	unsigned cpus;           /* how many the command may see, 0: all */
	unsigned cpus_from;      /* the first of them, modulo how many there are */
	uint64_t umask;          /* PROFILE_NONE: as inherited */
	const char *const *seccomp_deny; /* borrowed from the profile */
};

/* Borrowed, all of it. profile is NULL where none could be loaded. */
struct plan_input {
	const struct account *account;
	const struct profile *profile;
	const struct request *request;
	const struct verdict *verdict;
	const struct facts *facts;
	const char *actor;            /* NULL */
	const char *session;          /* the run's id */
	const int *private_fds;       /* PRIVATE_COUNT descriptors, -1 where there is none (explain) */
	const char *private_dir;      /* their parent's path, for people */
	bool has_connection_size;    /* the private directories have the profile's size already */
	const char *const *client_env; /* NAME=value of sshd's environment, NULL-terminated */
};

void plan_release(struct plan *plan);
#define _cleanup_plan_ __attribute__((cleanup(plan_release)))

/* Decides before any file is looked at: enabled, actor, verdict. */
void plan_admit(struct plan *plan, const struct plan_input *input);

/* Fills the plan of an admitted request. -ENOMEM only; a refusal is in the plan. */
int plan_build(struct plan *plan, const struct plan_input *input, struct err *err);

/* Turns the plan into a refusal: what failed where; detail is the sentence for the log. */
/* What a failed step is refused for: a disk that is full has its own sentence. r: its negative errno. */
enum plan_reason plan_reason_of(int r, enum plan_reason otherwise);

void plan_refuse(struct plan *plan, enum plan_reason reason, const char *stage, const char *detail);

/* What an attempt at a facet says of it. */
enum plan_attempt {
	ATTEMPT_WORKS,
	ATTEMPT_LOST, /* the kernel forbids it: it will tomorrow too */
	ATTEMPT_NOW,  /* no room at this moment: never a reason for a lower grade */
	ATTEMPT_ODD,  /* anything else: never one either */
};
enum plan_attempt plan_judge_attempt(int errnum);

/*
 * The chain failed before the release, by an exit: a step down the ladder, or a refusal. attempts are the
 * gateway's own, all of the facets; facts->lost gets what was found missing. True: plan again with the
 * new facts. False: the plan is a refusal; detail is what the chain itself said.
 */
struct attempt;
bool plan_step_down(struct plan *plan, struct facts *facts, const struct attempt *attempts, size_t count, const char *detail);

/* Whether the chain as planned is one that would fail here; a guess: only its own end makes plan_step_down(). */
bool plan_expects_failure(const struct plan *plan, const struct attempt *attempts, size_t count);

/*
 * After a refusal that no attempt explained, what a second look found: a quota that comes and goes is a matter of now.
 * has_worked: the very chain was ready when tried again.
 */
void plan_look_again(struct plan *plan, bool has_worked, const struct attempt *attempts, size_t count);

/* What was learnt after the refusal, for the log. */
void plan_add_detail(struct plan *plan, const char *more);

/*
 * The scope has started: values[i] is the content of plan->limits[i].file, NULL where there is none.
 * Settles the grade, or refuses.
 */
void plan_settle_limits(struct plan *plan, const struct profile *profile, const char *const *values);

/* The exit status of a refusal: 125 or 126. */
int plan_status(const struct plan *plan);

const char *plan_reason_name(enum plan_reason reason);
const char *grade_name(enum grade grade);
/* "pidns,limits", or "-". buf must hold 64 bytes. */
const char *facets_text(unsigned facets, char *buf, size_t size);

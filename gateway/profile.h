/* SPDX-License-Identifier: ISC */
/*
 * What an account may do, as its INI files say it.  One table holds every keyword of
 * stockade.ini(5); a layer of rows is applied on top of the layers below it, and
 * profile_finish() looks at the whole.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "ini.h"
#include "rlimits.h"
#include "strv.h"
#include "text.h"

#define PROFILE_NONE UINT64_MAX /* a number or time given as "none", or not given */

enum profile_layer { LAYER_SITE, LAYER_ACCOUNT, LAYER_ACTOR };

enum profile_min_grade { MIN_GRADE_FULL, MIN_GRADE_PARTIAL };
enum profile_access { ACCESS_WRITE, ACCESS_READ, ACCESS_NONE };
enum profile_mount { MOUNT_IDENTITY, MOUNT_FIXED };
enum profile_home { HOME_SESSION, HOME_WORKSPACE };
enum profile_root { ROOT_MINIMAL, ROOT_HOST };
enum profile_passwd { PASSWD_SYNTHETIC, PASSWD_HOST };
enum profile_sys { SYS_SIZED, SYS_NONE, SYS_HOST };
enum profile_tmp_mode { TMP_SESSION, TMP_COMMAND };
enum profile_backing { BACKING_DISK, BACKING_MEMORY };
enum profile_interactive { INTERACTIVE_AUTO, INTERACTIVE_NO, INTERACTIVE_YES };
enum profile_sftp { SFTP_NO, SFTP_READ, SFTP_YES };
enum profile_enforce { ENFORCE_REQUIRED, ENFORCE_BEST_EFFORT };
enum profile_actor { ACTOR_REQUIRED, ACTOR_OPTIONAL };
enum profile_network { NETWORK_NONE, NETWORK_SLIRP };
enum profile_log_command { LOG_COMMAND_FULL, LOG_COMMAND_NAME, LOG_COMMAND_NONE };

/* A rule, menu entry or actor: NAME = words. */
struct profile_entry {
	char *name;
	char *text;         /* the value as written */
	struct strv words;  /* the value split; for [menu] empty */
	const char *file;   /* borrowed from profile.files */
	unsigned line;
};

struct profile_entries {
	struct profile_entry *items;
	size_t len;
	size_t lower; /* how many are of lower layers: a file names none twice */
};

struct profile_size {
	struct text_amount amount;
	bool is_set;
};

/* Where a keyword's value came from; file is NULL for the built-in default. */
struct profile_origin {
	const char *file;
	unsigned line;
};

#define PROFILE_KEYWORDS_MAX 80

struct profile {
	struct strv files; /* every file read, the account's own last but for an overlay; owns origins' names */
	struct profile_origin origins[PROFILE_KEYWORDS_MAX];
	struct profile_origin limit_origins[LIMITS_COUNT];

	char *inherits;
	int enabled;
	int min_grade;
	char *message;

	char *workspace;
	int access;
	int mount;
	struct strv also;
	uint64_t umask; /* PROFILE_NONE: as inherited */
	int home;

	int root;
	struct strv read;
	struct strv hide;
	struct strv toolchains;
	struct strv etc;
	int passwd;
	int sys;
	struct strv devices;

	int tmp_mode;
	int backing;
	struct profile_size tmp_size;
	struct profile_size floor;
	char *tmp_dir;

	char *shell; /* "none": words, run without a shell */
	int interactive;
	char *login_shell;
	int sftp;

	struct profile_entries allow;
	struct profile_entries deny;
	struct profile_entries menu;
	struct profile_entries actors;

	struct strv env_pass;
	struct strv env_set;
	char *locale;
	char *path;

	uint64_t limits[LIMITS_COUNT]; /* LIMIT_UNSET, LIMIT_UNLIMITED, or the value */

	int enforce;
	struct profile_size memory_max, memory_high, swap_max;
	uint64_t tasks_max;
	uint64_t cpu_percent; /* 100 is one cpu */
	uint64_t cpu_weight, io_weight;

	uint64_t sessions_max, actor_sessions_max, queue;
	int actor;
	struct profile_size account_memory_max;
	uint64_t account_tasks_max;
	uint64_t account_cpu_percent;

	uint64_t timeout, idle, grace; /* seconds */

	int network;
	struct strv network_allow;
	struct strv dns;

	struct strv seccomp_allow;
	struct strv seccomp_deny;

	struct profile_size output_max;

	int log_command;

	char *tool_bwrap, *tool_systemd_run, *tool_prlimit, *tool_env, *tool_setsid, *tool_sftp_server, *tool_slirp4netns,
		*tool_nft;
};

enum keyword_type {
	KEYWORD_CHOICE,   /* int: index into the words of accepts */
	KEYWORD_TEXT,     /* char *: one line */
	KEYWORD_PATH,     /* char *: an absolute path, may carry specifiers */
	KEYWORD_TOOL,     /* char *: an absolute path, as it is */
	KEYWORD_WORDS,    /* struct strv */
	KEYWORD_PATHS,    /* struct strv of absolute paths, a leading ? marks one as optional */
	KEYWORD_SIZE,     /* struct profile_size; "-" unsets */
	KEYWORD_COUNT,    /* uint64_t; "-" or "none" unsets */
	KEYWORD_DURATION, /* uint64_t seconds; "none" unsets */
	KEYWORD_CPUS,     /* uint64_t percent, written as 2.5; "-" unsets */
	KEYWORD_MODE,     /* uint64_t, octal */
	KEYWORD_VARIABLES /* struct strv of variable names or NAME=value words, guarded ones refused */
};

enum keyword_place { PLACE_ANY, PLACE_NOT_ACTOR, PLACE_PROFILE, PLACE_SITE };

struct keyword {
	const char *section;
	const char *key;
	enum keyword_type type;
	enum keyword_place place;
	size_t offset;           /* into struct profile */
	const char *default_text; /* read by the same setter; "" leaves the field empty */
	const char *accepts;     /* for a choice its words, else what the message calls acceptable */
	const char *help;
};

extern const struct keyword profile_keywords[];
extern const size_t profile_keywords_count;

/* Built-in defaults. Release with profile_release() also after an error. */
int profile_init(struct profile *profile, struct err *err);
void profile_release(struct profile *profile);
#define _cleanup_profile_ __attribute__((cleanup(profile_release)))

/* One file's rows on top of what is there. Errors: -EINVAL, "FILE:LINE: [section] key: …". */
int profile_apply(struct profile *profile, const struct ini_rows *rows, enum profile_layer layer, struct err *err);

/* The checks that need all layers, and defaults that depend on other keys. name is for messages. */
int profile_finish(struct profile *profile, const char *name, struct err *err);

struct profile_names {
	const char *user, *actor, *group, *home; /* actor may be NULL: then %a is refused */
};

/* Replaces %u %a %g %h %% in every path of the profile. */
int profile_expand(struct profile *profile, const struct profile_names *names, struct err *err);

/* "%u/x" with the names filled in; heap. NULL with the sentence on error. */
char *profile_expand_text(const char *text, const struct profile_names *names, struct err *err);

bool profile_has_rules(const struct profile *profile); /* [allow] or [menu] present */

const struct keyword *profile_keyword(const char *section, const char *key);
/* Bytes of a size that may be a percentage of total; UINT64_MAX where it is not set. */
uint64_t profile_bytes(const struct profile_size *size, uint64_t total);

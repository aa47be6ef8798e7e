/* SPDX-License-Identifier: ISC */
/*
 * "stockade check": every way around the gateway on this host that is known, by name, with its cure. The list of
 * findings is the one place for their names; a finder looks at one thing and adds findings; check.c shows them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "check_config.h"
#include "decision.h"

enum check_severity { CHECK_WARNING = 1, CHECK_ERROR = 2 };

/* Identifier, name, severity, meaning. */
#define CHECK_FINDINGS(X) \
	X(PROFILE_MISSING, "profile-missing", CHECK_ERROR, "the account has no profile: every request is refused") \
	X(PROFILE_BROKEN, "profile-broken", CHECK_ERROR, "the profile cannot be read: every request is refused") \
	X(PROFILE_REFUSED, "profile-refused", CHECK_ERROR, "the profile shows what may not be shown: every request is refused") \
	X(ACCOUNT_MISSING, "account-missing", CHECK_WARNING, "a profile stands for an account that does not exist") \
	X(MANY_MOUNTS, "many-mounts", CHECK_WARNING, "every command pays for every mount") \
	X(WORKSPACE_HARD_LINK, "workspace-hard-link", CHECK_ERROR, "a file of the workspace has a name outside it too") \
	X(WORKSPACE_FOREIGN_GROUP, "workspace-foreign-group", CHECK_WARNING, "chgrp fails in a workspace of a secondary group") \
	X(LOCALE_ABSENT, "locale-absent", CHECK_WARNING, "the host lacks the profile's locale: C.UTF-8 is used") \
	X(PRESET_ABSENT, "preset-absent", CHECK_WARNING, "the profile names an entry of /etc that is not there") \
	X(RULE_SHADOWED, "rule-shadowed", CHECK_WARNING, "a rule that can never match") \
	X(RULE_SETUID, "rule-setuid", CHECK_WARNING, "an allowed program that is setuid and cannot work inside") \
	X(RULE_ABSENT, "rule-absent", CHECK_WARNING, "an allowed program that is not on this host") \
	X(LIMIT_TOO_SMALL, "limit-too-small", CHECK_ERROR, "a limit under which no command can do its work") \
	X(SECCOMP_TOO_MUCH, "seccomp-too-much", CHECK_ERROR, "a system call is denied that every command needs") \
	X(PROGRAM_ABSENT, "program-absent", CHECK_ERROR, "a program that the profile names cannot be run inside") \
	X(BEST_EFFORT_UNDER_FULL, "best-effort-under-full", CHECK_WARNING, "best-effort limits, and yet min_grade = full") \
	X(SSHD_CONFIG_BROKEN, "sshd-config-broken", CHECK_ERROR, "sshd does not accept its configuration") \
	X(SSHD_NO_GATEWAY, "sshd-no-gateway", CHECK_ERROR, "sshd does not hand requests to the gateway") \
	X(SSHD_LOGIN_SHELL_ONLY, "sshd-login-shell-only", CHECK_ERROR, "internal-sftp and signals go past a login shell") \
	X(SSHD_FORCECOMMAND_NOT_EXEC, "sshd-forcecommand-not-exec", CHECK_WARNING, "a shell stays between sshd and the gateway") \
	X(SSHD_TCP_FORWARDING, "sshd-tcp-forwarding", CHECK_ERROR, "clients reach the host's network") \
	X(SSHD_STREAMLOCAL_FORWARDING, "sshd-streamlocal-forwarding", CHECK_ERROR, "clients reach the host's sockets") \
	X(SSHD_AGENT_FORWARDING, "sshd-agent-forwarding", CHECK_ERROR, "a client's agent is offered to the whole account") \
	X(SSHD_X11_FORWARDING, "sshd-x11-forwarding", CHECK_ERROR, "sshd runs xauth outside the fence with the client's words") \
	X(SSHD_TUNNEL, "sshd-tunnel", CHECK_ERROR, "clients get a network device of the host") \
	X(SSHD_DISABLE_FORWARDING_ONLY, "sshd-disable-forwarding-only", CHECK_WARNING, "DisableForwarding alone is not enough") \
	X(SSHD_USER_RC, "sshd-user-rc", CHECK_ERROR, "sshd runs ~/.ssh/rc outside the fence") \
	X(SSHD_USER_ENVIRONMENT, "sshd-user-environment", CHECK_ERROR, "the account sets the gateway's own environment") \
	X(SSHD_ACCEPTENV, "sshd-acceptenv", CHECK_ERROR, "a client sets variables that the gateway or its loader reads") \
	X(SSHD_AUTHORIZED_KEYS, "sshd-authorized-keys", CHECK_ERROR, "the account can add keys to itself") \
	X(SSHD_EXPOSE_AUTH_INFO, "sshd-expose-auth-info", CHECK_ERROR, "actors are named, and nothing says whose key it is") \
	X(SSHD_USE_PAM, "sshd-use-pam", CHECK_WARNING, "without PAM there is no user manager, and no limit") \
	X(SSHD_CLIENT_ALIVE, "sshd-client-alive", CHECK_WARNING, "commands of a client that vanished stay") \
	X(SSHD_MAX_SESSIONS, "sshd-max-sessions", CHECK_WARNING, "sshd drops what the profile would run at once") \
	X(KEY_FORGES_ACTOR, "key-forges-actor", CHECK_ERROR, "a key's options name an actor that is not proven") \
	X(PAM_MISSING, "pam-missing", CHECK_WARNING, "connections have no private directory of their own") \
	X(PAM_NOT_REQUIRED, "pam-not-required", CHECK_ERROR, "the module's refusal does not count") \
	X(PAM_ARGUMENT, "pam-argument", CHECK_ERROR, "the module takes none, and refuses every login") \
	X(PAM_USER_ENVIRONMENT, "pam-user-environment", CHECK_ERROR, "the account sets the gateway's own environment") \
	X(PAM_ORDER, "pam-order", CHECK_WARNING, "the module runs before there is a user manager") \
	X(PAM_OTHER_SERVICE, "pam-other-service", CHECK_WARNING, "another service lets the account in, past the gateway") \
	X(ACCOUNT_SHELL, "account-shell", CHECK_WARNING, "su and the console are not confined") \
	X(ACCOUNT_IN_ETC_SHELLS, "account-in-etc-shells", CHECK_WARNING, "the gateway passes for an ordinary shell") \
	X(ACCOUNT_ROOT_GROUP, "account-root-group", CHECK_ERROR, "a group that is root by another name") \
	X(ACCOUNT_SUDOERS, "account-sudoers", CHECK_ERROR, "sudo or doas runs commands of the account as another") \
	X(ACCOUNT_CRON_ALLOWED, "account-cron-allowed", CHECK_WARNING, "cron jobs run outside the fence") \
	X(ACCOUNT_AT_ALLOWED, "account-at-allowed", CHECK_WARNING, "at jobs run outside the fence") \
	X(ACCOUNT_CRONTAB, "account-crontab", CHECK_WARNING, "a cron job of the account's is there") \
	X(ACCOUNT_AT_JOB, "account-at-job", CHECK_WARNING, "an at job of the account's is there") \
	X(ACCOUNT_LINGER, "account-linger", CHECK_WARNING, "user units start without a login, outside the fence") \
	X(ACCOUNT_USER_UNITS, "account-user-units", CHECK_WARNING, "user units of the account's run outside the fence") \
	X(ACCOUNT_MAIL_COMMAND, "account-mail-command", CHECK_WARNING, "mail to the account runs commands outside the fence") \
	X(ACCOUNT_SYSTEM_UNITS, "account-system-units", CHECK_WARNING, "a system unit runs as the account, outside the fence") \
	X(ACCOUNT_PASSWORD, "account-password", CHECK_WARNING, "a password lets in by other ways than sshd's keys") \
	X(ACCOUNT_UID_SHARED, "account-uid-shared", CHECK_ERROR, "another account is the same to the kernel") \
	X(ACCOUNT_SETUID_FILE, "account-setuid-file", CHECK_ERROR, "whoever runs it acts as the account, outside the fence") \
	X(SLICE_DROP_IN, "slice-drop-in", CHECK_ERROR, "the totals of [account] are not in force") \
	X(NO_PRIVATE_DIRECTORY, "no-private-directory", CHECK_WARNING, "private directories have no place on disk") \
	X(DISK_SHARED_WITH_LOG, "disk-shared-with-log", CHECK_WARNING, "a full workspace stops the log, and so every request") \
	X(DAEMON_SOCKET, "daemon-socket", CHECK_WARNING, "a daemon that gives credentials runs on a host that is shown") \
	X(KERNEL_OLD, "kernel-old", CHECK_WARNING, "the kernel lacks parts of the fence") \
	X(KERNEL_PTRACE, "kernel-ptrace", CHECK_WARNING, "nothing but the user namespace keeps processes apart") \
	X(KERNEL_HARD_LINKS, "kernel-hard-links", CHECK_WARNING, "files of others can be linked into the workspace") \
	X(HOST_GRADE, "host-grade", CHECK_WARNING, "the host cannot give a part of the fence") \
	X(REAL_RUN, "real-run", CHECK_ERROR, "a command through the whole chain fails, or sees what it may not")

#define CHECK_ID(id, name, severity, meaning) CHECK_##id,
enum check_id { CHECK_FINDINGS(CHECK_ID) CHECK_COUNT };
#undef CHECK_ID

struct check_row {
	const char *name;
	enum check_severity severity;
	const char *meaning;
};
extern const struct check_row check_table[CHECK_COUNT];

#define CHECK_CURE_MAX 9216 /* a path of PATH_MAX, quoted, and what is done with it */

/* Untrusted text in where and what: escaped when shown. */
struct check_finding {
	enum check_id id;
	enum check_severity severity;
	char user[256];
	char where[512];
	char what[640];
	char cure[CHECK_CURE_MAX]; /* a command for root's shell */
};

/* What is the host's is tried once: its grade as the first account, its network as the first whose profile asks for one. */
struct check_host_seen {
	bool has_grade, has_network;
};

/* One account under check; finders add to findings. */
struct check {
	int root_fd;                  /* what "/" is */
	const char *user;
	bool has_account, has_profile, has_facts;
	struct decision decision;     /* for the first actor, or for none */
	struct profile profile;       /* finished, with its %-specifiers still in it */
	struct check_config sshd;     /* sshd's effective configuration for the account */
	bool has_sshd, has_pam;       /* has_pam: the session module, or the hook, is in sshd's stack */
	bool has_keys_of_form_k;      /* every key has command="…stockade-gateway --as NAME", in files of root's */
	size_t comparisons;           /* of rules */
	struct check_host_seen *host; /* what an account before this one has settled; borrowed */
	struct check_finding *findings; /* owned */
	size_t len;
	struct check_finding spill;   /* where there was no memory */
};

void check_release(struct check *check);

/* Adds a finding; the pointer is good until the next one. */
struct check_finding *check_add(struct check *check, enum check_id id, const char *where, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A command that does not fit becomes a comment, never a part of one. */
void check_cure(struct check_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The word as a shell reads it back, without a byte that a terminal obeys; one that does not fit names nothing. Returns out. */
const char *check_quote(char *out, size_t size, const char *word);

/* A file's text below check->root_fd, heap; NULL where it is absent or no regular file. */
char *check_read(const struct check *check, const char *path);
bool check_exists(const struct check *check, const char *path);

/* Calls each() for every line, without its newline, counted from 1. The text is changed meanwhile. */
void check_lines(char *text, void (*each)(void *data, unsigned number, char *line), void *data);

/* Calls each() with the path of every entry of a directory, in no order. */
void check_entries(const struct check *check, const char *directory, void (*each)(void *data, const char *path), void *data);

/* Runs a program of root's without an environment; what it says on both streams goes to text. Its exit status, -1. */
int check_run(const char *const *argv, char *text, size_t size);

/*
 * Where the setting stands, "FILE:LINE: [section] key"; with the account's own file, and false, where only the default does. The
 * cure replaces it there, or adds it.
 */
bool check_origin(const struct check *check, const char *section, const char *key, char *where, size_t size,
	const struct profile_origin **found);
void check_cure_setting(const struct check *check, struct check_finding *finding, const char *section, const char *key, const char *value);

/* True where every command that the second pattern matches is matched by the first: never said wrongly, not always found. */
bool check_rule_covers(const struct strv *first, const struct strv *second);

/* Programs that the profile names, for the real run, up to NULL; how many. And the finding for one that it misses. */
#define CHECK_PROGRAMS_MAX 3
size_t check_programs(const struct check *check, const char *programs[CHECK_PROGRAMS_MAX + 1]);
void check_program_absent(struct check *check, const char *path);

/* Finders. */
void check_profile(struct check *check);
void check_mounts(struct check *check); /* of the plan */
void check_rules(struct check *check);
void check_start(struct check *check);
void check_sshd(struct check *check);
void check_sshd_config(struct check *check); /* of check->sshd, as it was read */
void check_keys(struct check *check);
void check_pam(struct check *check);
void check_services(struct check *check); /* the other services of PAM */
void check_account(struct check *check);
void check_sudo(struct check *check); /* of check_account() */
void check_jobs(struct check *check);
void check_files(struct check *check);
void check_disk(struct check *check);
void check_kernel(struct check *check, bool has_pid_namespace);
void check_kernel_hard_links(struct check *check);
void check_for_real(struct check *check); /* the host, and a run of the account's: one after the other */

int check_main(int argc, char *argv[]);

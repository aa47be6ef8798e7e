/* SPDX-License-Identifier: ISC */
/*
 * Owns what root does for a connection. Root itself makes the account's directory below a directory of
 * root's, mounts and unmounts, and writes records; everything inside the account's directory is done by a
 * child with the account's rights.
 */
#include "hook.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "attempt.h"
#include "hook_end.h"
#include "load.h"
#include "manager.h"
#include "outcome.h"
#include "place.h"
#include "process.h"
#include "quota.h"
#include "text.h"

/* Above every facet: learn_lost()'s child did its work. */
#define LEARNT 0x80

static void set_dir(struct hook *hook)
{
	snprintf(hook->connection.dir, sizeof(hook->connection.dir), "%s", hook->profile.tmp_dir);
}

static bool end_if_dead(void *data, const struct connection *connection)
{
	struct hook *hook = data;

	if (connection->pid && process_is(connection->pid, connection->start))
		return false;
	/* An unreadable record. */
	if (!hook->connection.dir[0])
		set_dir(hook);
	hook_end_connection(hook);
	return false;
}

struct keep {
	uid_t uid;
};

static bool has_record(void *data, const char *name)
{
	const struct keep *keep = data;
	struct connection connection;
	struct err ignored;

	/* An unreadable record was ended before; a readable one is somebody's. */
	return connection_read(&connection, keep->uid, name, &ignored) == 0;
}

static void ignore_run(void *data, const char *id, const char *actor, const char *note)
{
	(void)data;
	(void)id;
	(void)actor;
	(void)note;
}

/* What a crash or a reboot left, as the account. */
static int sweep(struct hook *hook)
{
	struct keep keep = { hook->account.uid };
	struct session session;
	struct err err = { "" };

	if (hook_open_session(hook, &session))
		return EXIT_FAILED;
	place_each(&session, ignore_run, hook_log_lost, hook, &err);
	session_sweep(&session, has_record, &keep, &err);
	session_close(&session, &err);
	return 0;
}

static int make_directory(struct hook *hook)
{
	char path[HOOK_PATH_SIZE];

	hook_directory_path(hook, path, sizeof(path));
	umask(0);
	return mkdir(path, 0700) == 0 ? 0 : EXIT_FAILED;
}

/* Below tmp_dir, which is root's: nobody else can have put anything there. */
static int make_base(struct hook *hook, struct err *err)
{
	const struct account *account = &hook->account;
	char path[HOOK_PATH_SIZE];

	hook_account_path(hook, path, sizeof(path));
	if (mkdir(path, 0700) == 0)
		return chown(path, account->uid, account->gid) == 0 ? 0 : err_set(err, errno, "%s: %s", path, strerror(errno));
	return errno == EEXIST ? 0 : err_set(err, errno, "%s: %s", path, strerror(errno));
}

static uint64_t size_of(const struct hook *hook)
{
	struct sysinfo info = { 0 };
	uint64_t total;

	sysinfo(&info);
	total = (uint64_t)info.totalram * info.mem_unit;
	return hook->profile.tmp_size.is_set ? profile_bytes(&hook->profile.tmp_size, total) : total / 4;
}

static int open_directory(const struct hook *hook, int flags, struct err *err)
{
	char path[HOOK_PATH_SIZE];
	struct stat st;
	int fd;

	hook_directory_path(hook, path, sizeof(path));
	fd = open(path, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == hook->account.uid)
		return fd;
	if (fd >= 0)
		close(fd);
	return err_set(err, EPERM, "%s: is not the account's", path);
}

static int mount_tmpfs(const struct hook *hook, int fd, struct err *err)
{
	char target[64], options[160];

	snprintf(target, sizeof(target), "/proc/self/fd/%d", fd);
	snprintf(options, sizeof(options), "size=%llu,mode=0700,uid=%u,gid=%u", (unsigned long long)size_of(hook), hook->account.uid,
		hook->account.gid);
	if (mount("stockade", target, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
		return err_set(err, errno, "%s: no tmpfs: %s", hook->connection.id, strerror(errno));
	return 0;
}

/* A tmpfs, or a project quota, where the profile wants the directory to have an end. As root. */
static int give_size(struct hook *hook, struct err *err)
{
	bool is_memory = hook->profile.backing == BACKING_MEMORY;
	int fd, r;

	if (!is_memory && !hook->profile.tmp_size.is_set)
		return 0;
	fd = open_directory(hook, is_memory ? O_PATH : O_RDONLY, err);
	if (fd < 0)
		return fd;
	r = is_memory ? mount_tmpfs(hook, fd, err) : quota_open(fd, size_of(hook), err);
	hook->connection.has_size = r == 0;
	close(fd);
	return r;
}

/* Which parts of the fence this host forbids the account: learnt here, where only root can write it down. */
static int learn_lost(struct hook *hook)
{
	struct attempt attempts[ATTEMPTS_MAX];
	unsigned lost = 0;
	size_t count;

	(void)hook;
	count = attempt_all(attempts);
	for (size_t i = 0; i < count; i++)
		if (plan_judge_attempt(attempts[i].errnum) == ATTEMPT_LOST)
			lost |= attempts[i].facet;
	return (int)lost | LEARNT;
}

/* pam_systemd's: with none, sessions here have no manager at all, and that is the host's choice. */
static bool has_runtime_directory(uid_t uid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/run/user/%u", uid);
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == uid;
}

static int describe(struct hook *hook, struct err *err)
{
	struct connection *connection = &hook->connection;
	struct process sshd;
	int learnt, r = session_new_id(connection->id, err);

	if (r == 0 && process_read(&sshd, connection->pid))
		r = err_set(err, ESRCH, "the calling process cannot be seen");
	if (r)
		return r;
	connection->start = sshd.start;
	learnt = hook_as_account(hook, learn_lost);
	connection->lost = learnt & LEARNT ? (unsigned)learnt & FACETS_ALL : 0;
	snprintf(connection->from, sizeof(connection->from), "%s", hook->input->host ? hook->input->host : "-");
	connection->from[strcspn(connection->from, "\n")] = '\0';
	if (hook->input->auth && strlen(hook->input->auth) < sizeof(connection->auth))
		strcpy(connection->auth, hook->input->auth);
	return 0;
}

/* The record first: another connection that opens now takes a directory without one for what a crash left. */
static int make_connection(struct hook *hook, struct err *err)
{
	const struct account *account = &hook->account;
	int r = connection_write(&hook->connection, account->uid, account->gid, err);

	if (r)
		return r;
	r = hook_as_account(hook, make_directory) ? err_set(err, EIO, "%s: its directory cannot be made", hook->connection.id) : give_size(hook, err);
	if (r == 0 && hook->connection.has_size)
		r = connection_write(&hook->connection, account->uid, account->gid, err);
	if (r) {
		hook_unmount(hook);
		hook_as_account(hook, hook_remove_directory);
		connection_remove(account->uid, hook->connection.id);
	}
	return r;
}

static int open_connection(struct hook *hook, struct err *err)
{
	uid_t uid = hook->account.uid;
	int r;

	set_dir(hook);
	r = make_base(hook, err);
	if (r)
		return r;
	/* logind starts a manager with a user's first session only: one that was killed would stay away until the last one ends. */
	if (!manager_is_up(uid) && has_runtime_directory(uid))
		manager_systemctl("start", uid);
	connection_each(uid, &hook->connection, end_if_dead, hook);
	hook->connection.pid = getppid();
	set_dir(hook);
	hook_as_account(hook, sweep);
	r = describe(hook, err);
	return r ? r : make_connection(hook, err);
}

/* --- closing ------------------------------------------------------------------------ */

static bool end_if_callers(void *data, const struct connection *connection)
{
	if (connection->pid == getppid() && process_is(connection->pid, connection->start))
		hook_end_connection(data);
	return false;
}

/* --- account ------------------------------------------------------------------------ */

/* Jobs of cron and at run with no sshd and no gateway before them. */
static bool is_job_service(const char *service)
{
	return service && (strcmp(service, "cron") == 0 || strcmp(service, "crond") == 0 || strcmp(service, "atd") == 0);
}

/* To the log, and to the module, which hands the sentence to the client. */
static int refuse_login(struct hook *hook, enum plan_reason reason, const char *sentence, const char *detail)
{
	struct plan plan = { .reason = REASON_NONE };
	char shown[ERR_TEXT_SIZE];

	plan_refuse(&plan, reason, hook->input->phase, detail);
	hook_log_refusal(hook, reason, detail);
	dprintf(STDERR_FILENO, "stockade: %s\n", text_show(shown, sizeof(shown), sentence && *sentence ? sentence : plan.sentence));
	plan_release(&plan);
	return EXIT_REFUSED;
}

static int check_account(struct hook *hook, int r, const struct err *err)
{
	if (is_job_service(hook->input->service))
		return refuse_login(hook, REASON_REQUEST, NULL, "jobs of cron and at would run outside the fence");
	if (r)
		return refuse_login(hook, REASON_PROFILE, NULL, err->text);
	if (!hook->profile.enabled)
		return refuse_login(hook, REASON_DISABLED, hook->profile.message, "[profile] enabled = no");
	return 0;
}

/* r: of loading the profile. What is open is closed also where the profile is broken by now, or gone. */
static int run_phase(struct hook *hook, int r, struct err *err)
{
	if (strcmp(hook->input->phase, "close") == 0) {
		connection_each(hook->account.uid, &hook->connection, end_if_callers, hook);
		return 0;
	}
	if (r == -ENOENT)
		return 0;
	if (strcmp(hook->input->phase, "account") == 0)
		return check_account(hook, r, err);
	/*
	 * With a broken profile every request is refused by the gateway, there is nothing to make. Without the
	 * connection's directory each command has one of its own, or is refused with a sentence.
	 */
	if (r == 0 && open_connection(hook, err))
		hook_log_refusal(hook, REASON_SESSION, err->text);
	return 0;
}

int hook_run(const struct hook_input *input)
{
	const struct load load = { .root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), .dir = STOCKADE_ETC, .owner = 0 };
	struct hook hook = { .input = input, .log = LOG_INIT };
	struct err err = { "" };
	int r = -ENOENT, status = 0;

	/* The caller may be a su(1) with any mask: the gateway has to come as far as its connection's record. */
	umask(022);
	if (strcmp(input->phase, "account") != 0 && strcmp(input->phase, "open") != 0 && strcmp(input->phase, "close") != 0)
		status = EXIT_FAILED;
	else if (input->user && account_by_name(&hook.account, input->user, &err) == 0 && hook.account.uid != 0) {
		r = profile_init(&hook.profile, &err);
		if (r == 0)
			r = load_profile(&hook.profile, &load, &hook.account, &err);
		if (r == 0)
			r = profile_finish(&hook.profile, input->user, &err);
		status = run_phase(&hook, r, &err);
		profile_release(&hook.profile);
	}
	account_release(&hook.account);
	log_close(&hook.log);
	close(load.root_fd);
	return status;
}

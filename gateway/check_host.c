/* SPDX-License-Identifier: ISC */
/* Finds what the host lacks, what on it gives credentials, and what a real run through the whole chain says. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "manager.h"
#include "probing.h"
#include "selftest.h"
#include "text.h"

static bool device_of(const struct check *check, const char *path, dev_t *device)
{
	struct stat st;

	if (fstatat(check->root_fd, path + 1, &st, 0) < 0)
		return false;
	*device = st.st_dev;
	return true;
}

/* [tmp] floor watches the disk of the private directories; a workspace beside them is watched with them. */
static void find_full_disk(struct check *check)
{
	const struct profile *profile = &check->decision.profile;
	bool has_floor = profile->floor.is_set;
	dev_t log, workspace, private;

	if (!device_of(check, "/var/log/journal", &log) && !device_of(check, "/var/log", &log))
		return;
	if (!device_of(check, profile->tmp_dir, &private) || !profile->workspace || !device_of(check, profile->workspace, &workspace))
		return;
	if (!has_floor && (private == log || workspace == log)) {
		check_cure_setting(check, check_add(check, CHECK_DISK_SHARED_WITH_LOG, profile->tmp_dir,
						  "private directories or the workspace share a file system with the log, and no [tmp] floor keeps room for it: one command can stop all"),
			"tmp", "floor", "5%");
		return;
	}
	if (workspace == log && private != log)
		check_cure(check_add(check, CHECK_DISK_SHARED_WITH_LOG, profile->workspace,
				   "the workspace shares a file system with the log, and [tmp] floor watches another one: one command can stop all"),
			"mount a file system of its own at %s, and name it in /etc/fstab", profile->workspace);
}

/* Masked by the view; named because one mask that fails would hand the host over. */
static void find_daemons(struct check *check)
{
	static const struct {
		const char *name, *path;
	} daemons[] = { { "munge", "/run/munge/munge.socket.2" }, { "docker", "/run/docker.sock" }, { "podman", "/run/podman/podman.sock" },
		{ "containerd", "/run/containerd/containerd.sock" }, { "snapd", "/run/snapd.socket" }, { "libvirt", "/run/libvirt/libvirt-sock" },
		{ "lxd", "/var/snap/lxd/common/lxd/unix.socket" }, { "lxd", "/var/lib/lxd/unix.socket" }, { "incus", "/var/lib/incus/unix.socket" } };

	if (check->decision.profile.root != ROOT_HOST)
		return;
	for (size_t i = 0; i < sizeof(daemons) / sizeof(daemons[0]); i++)
		if (check_exists(check, daemons[i].path))
			check_cure_setting(check, check_add(check, CHECK_DAEMON_SOCKET, daemons[i].path,
							  "%s gives credentials to whoever connects, and the profile shows the whole host: a read-only view stops no connect()",
							  daemons[i].name),
				"view", "root", "minimal");
}

void check_disk(struct check *check)
{
	find_full_disk(check);
	find_daemons(check);
}

static bool has_facet(const struct probing_row *rows, size_t len, const char *facet)
{
	for (size_t i = 0; i < len; i++)
		if (strcmp(rows[i].facet, facet) == 0)
			return rows[i].result == ATTEMPT_WORKS;
	return false;
}

/* run: the account's own, where it came to its end; else one is made for the host. */
static void find_host(struct check *check, const struct selftest *run)
{
	struct probing_row rows[PROBING_ROWS_MAX + 1];
	size_t len = check->host->has_grade ? 0 : probing_rows(rows, &check->decision.account, run);

	if (!check->host->has_grade)
		check_kernel(check, has_facet(rows, len, "pidns"));
	if (check->has_profile && check->profile.network != NETWORK_NONE && !check->host->has_network) {
		probing_network(&rows[len++], &check->decision.account);
		check->host->has_network = true;
	}
	check->host->has_grade = true;
	for (size_t i = 0; i < len; i++) {
		bool is_tool = strncmp(rows[i].how, "root's", 6) == 0, is_run = strcmp(rows[i].facet, "real-run") == 0;
		struct check_finding *finding;

		if (rows[i].result == ATTEMPT_WORKS)
			continue;
		finding = check_add(check, CHECK_HOST_GRADE, rows[i].facet, "%s: %s", rows[i].how, rows[i].said);
		if (is_tool || strcmp(rows[i].facet, "namespaces") == 0 || (is_run && rows[i].result != ATTEMPT_LOST))
			finding->severity = CHECK_ERROR;
		check_cure(finding, "%s", rows[i].mend[0] ? rows[i].mend : "# goes with the other lines of host-grade");
	}
}

/* What a host that lacks a part cannot show: told by find_host() already. */
static bool is_excused(const struct selftest *selftest, const char *name)
{
	static const struct {
		const char *lack, *line;
	} excuses[] = { { "limits", "memory-limit" }, { "limits", "task-limit" }, { "limits", "own-cgroup-root" }, { "cgroupns", "own-cgroup-root" },
		{ "pidns", "pid-1-is-the-fences" }, { "pidns", "pid-1-has-no-environment" }, { "pidns", "no-host-process-signalled" } };

	for (size_t i = 0; i < sizeof(excuses) / sizeof(excuses[0]); i++)
		if (strcmp(excuses[i].line, name) == 0 && strstr(selftest->lacks, excuses[i].lack))
			return true;
	return false;
}

/* By the stage that the gateway names. */
static void cure_run(const struct check *check, struct check_finding *finding, const char *said)
{
	char why[256], mend[320];

	if (strstr(said, " are free"))
		check_cure_setting(check, finding, "tmp", "floor", "5%");
	else if (check->profile.network == NETWORK_SLIRP && probing_explain_network(&check->profile, said, why, sizeof(why), mend, sizeof(mend)))
		check_cure(finding, "%s", mend);
	else
		check_cure(finding, "stockade explain %s && stockade probe %s   # show which part of the chain fails", check->user, check->user);
}

/* True where it came to its end, and so says what the host can give. */
static bool is_complete(const struct selftest *selftest)
{
	return selftest->status == 0 && selftest->len > 0 && strcmp(selftest->grade, "refused") != 0;
}

static void find_real_run(struct check *check, const struct selftest *selftest, const char *problem)
{
	if (problem[0]) {
		cure_run(check, check_add(check, CHECK_REAL_RUN, "start", "%s", problem), problem);
		return;
	}
	if (!is_complete(selftest))
		cure_run(check, check_add(check, CHECK_REAL_RUN, "chain", "status %d, grade %s: %s", selftest->status, selftest->grade, selftest->error), selftest->error);
	for (size_t i = 0; i < selftest->len; i++) {
		const struct selftest_line *line = &selftest->lines[i];

		if (line->holds || is_excused(selftest, line->name))
			continue;
		if (text_has_prefix(line->name, SELFTEST_PROGRAM))
			check_program_absent(check, line->name + strlen(SELFTEST_PROGRAM));
		else
			cure_run(check, check_add(check, CHECK_REAL_RUN, line->name, "does not hold inside: %s", line->said), "");
	}
}

void check_for_real(struct check *check)
{
	const struct account *account = &check->decision.account;
	bool can_run = check->has_facts && check->decision.plan.reason != REASON_PROFILE, is_held = manager_hold(account->uid);
	struct selftest selftest = { .status = -1 };
	const char *programs[CHECK_PROGRAMS_MAX + 1];
	struct err err = { "" };

	if (can_run) {
		check_programs(check, programs);
		selftest_run(&selftest, account, STOCKADE_ETC, programs, &err);
	}
	find_host(check, is_complete(&selftest) ? &selftest : NULL);
	if (can_run)
		find_real_run(check, &selftest, err.text);
	manager_let_go(account->uid, is_held);
}

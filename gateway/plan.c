/* SPDX-License-Identifier: ISC */
/*
 * Owns every decision:
 *   1. plan_admit()          enabled, actor, verdict of the rules, what no command can be
 *   2. plan_build()          tools, grade expected, limits, view, environment
 *   3. plan_settle_limits()  the grade, once the scope's own files were read
 *   4. plan_refuse()         what fails on the way
 * Never touches the system.
 */
#include "plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempt.h"
#include "egress.h"
#include "environment.h"
#include "seccomp.h"
#include "view.h"

/* Linux: MAX_ARG_STRLEN, execve(2): one argument is at most 32 pages, its end included. */
#define ARGUMENT_MAX (128u * 1024 - 1)

struct reason_row {
	const char *name;
	int status;
	const char *sentence; /* for the user, where nothing better is known */
};

static const struct reason_row reasons[] = {
	[REASON_NONE] = { "none", 0, "" },
	[REASON_REQUEST] = { "request", 126, "this request cannot be run" },
	[REASON_PROFILE] = { "profile", 126, "this account is not set up correctly; the administrator can see why in the log" },
	[REASON_DISABLED] = { "disabled", 126, "this account is disabled" },
	[REASON_ACTOR] = { "actor", 126, "this key is not among those known for this account" },
	[REASON_RULE] = { "rule", 126, "this command is not allowed on this account" },
	[REASON_GRADE] = { "grade", 126, "this host cannot confine commands as this account requires; the administrator can see why in the log" },
	[REASON_BUSY] = { "busy", 126, "this host has no room for another command now; try again later" },
	[REASON_DISK] = { "disk", 126, "the disk is nearly full; try again later" },
	[REASON_TOOLS] = { "tools", 125, "a program that commands are run with is missing or not safe to use; the administrator can see which in the log" },
	[REASON_SESSION] = { "session", 125, "no private directory could be made; the administrator can see why in the log" },
	[REASON_NETWORK] = { "network", 125, "the private network could not be made, and the command was not run; try again later" },
	[REASON_FENCE] = { "fence", 125, "the command could not be confined and was not run; the administrator can see why in the log" },
	[REASON_LOG] = { "log", 125, "the system log cannot be reached, and nothing runs unlogged" },
};

const char *plan_reason_name(enum plan_reason reason)
{
	return reasons[reason].name;
}

int plan_status(const struct plan *plan)
{
	return reasons[plan->reason].status;
}

const char *grade_name(enum grade grade)
{
	switch (grade) {
	case GRADE_FULL:
		return "full";
	case GRADE_PARTIAL:
		return "partial";
	case GRADE_REFUSED:
		return "refused";
	}
	return "?";
}

const char *facets_text(unsigned facets, char *buf, size_t size)
{
	static const struct {
		enum facet facet;
		const char *name;
	} names[] = { { FACET_PIDNS, "pidns" }, { FACET_DEV, "dev" }, { FACET_CGROUPNS, "cgroupns" }, { FACET_USERNS, "userns" },
		{ FACET_LIMITS, "limits" } };
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (facets & names[i].facet)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? "," : "", names[i].name);
	return len ? buf : "-";
}

void plan_release(struct plan *plan)
{
	for (size_t i = 0; i < plan->ops_len; i++) {
		free(plan->ops[i].source);
		free(plan->ops[i].dest);
	}
	free(plan->ops);
	strv_release(&plan->env);
	strv_release(&plan->command);
	strv_release(&plan->rlimits);
	free(plan->cwd);
	free(plan->home);
	for (size_t i = 0; i < DATA_COUNT; i++)
		free(plan->texts[i]);
	free(plan->net_rules);
	free(plan->cgroup);
	*plan = (struct plan){ 0 };
}

static void refuse(struct plan *plan, enum plan_reason reason, const char *stage, const char *sentence, const char *detail)
{
	plan->reason = reason;
	plan->stage = stage;
	plan->grade = GRADE_REFUSED;
	snprintf(plan->sentence, sizeof(plan->sentence), "%s", sentence && *sentence ? sentence : reasons[reason].sentence);
	snprintf(plan->detail, sizeof(plan->detail), "%s", detail ? detail : plan->sentence);
}

void plan_refuse(struct plan *plan, enum plan_reason reason, const char *stage, const char *detail)
{
	refuse(plan, reason, stage, NULL, detail);
}

enum plan_reason plan_reason_of(int r, enum plan_reason otherwise)
{
	return r == -ENOSPC || r == -EDQUOT ? REASON_DISK : otherwise;
}

void plan_admit(struct plan *plan, const struct plan_input *input)
{
	const struct profile *profile = input->profile;
	const struct verdict *verdict = input->verdict;

	if (!profile->enabled) {
		refuse(plan, REASON_DISABLED, "profile", profile->message, "[profile] enabled = no");
		return;
	}
	if (profile->actors.len && !input->actor && profile->actor == ACTOR_REQUIRED) {
		refuse(plan, REASON_ACTOR, "identity", profile->message, "the key is nobody's in [actors]");
		return;
	}
	if (!verdict->is_allowed) {
		/* An sftp client shows nobody's standard error; the log has the sentence, but for a word of the command. */
		refuse(plan, REASON_RULE, "rules", verdict->sentence,
			profile->log_command == LOG_COMMAND_NONE ? "the command is not one that the rules allow" : verdict->sentence);
		return;
	}
	for (size_t i = 0; i < verdict->argv.len; i++)
		if (strlen(verdict->argv.items[i]) >= ARGUMENT_MAX) {
			refuse(plan, REASON_REQUEST, "rules", "the command is longer than the 128 KiB that the kernel takes", NULL);
			return;
		}
}

static void add_limit(struct plan *plan, const char *file, const char *expected, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void add_limit(struct plan *plan, const char *file, const char *expected, const char *format, ...)
{
	struct plan_limit *limit = &plan->limits[plan->limits_len++];
	va_list args;

	limit->file = file;
	snprintf(limit->expected, sizeof(limit->expected), "%s", expected);
	va_start(args, format);
	vsnprintf(limit->property, sizeof(limit->property), format, args);
	va_end(args);
}

static void add_bytes(struct plan *plan, const char *file, const char *property, uint64_t bytes)
{
	char expected[40];

	if (bytes == UINT64_MAX)
		return;
	/* The kernel keeps whole pages. */
	bytes &= ~4095ull;
	snprintf(expected, sizeof(expected), "%llu", (unsigned long long)bytes);
	add_limit(plan, file, expected, "%s=%llu", property, (unsigned long long)bytes);
}

static void add_count(struct plan *plan, const char *file, const char *property, uint64_t count, const char *prefix)
{
	char expected[40];

	if (count == PROFILE_NONE)
		return;
	snprintf(expected, sizeof(expected), "%s%llu", prefix, (unsigned long long)count);
	add_limit(plan, file, expected, "%s=%llu", property, (unsigned long long)count);
}

static void add_cpus(struct plan *plan, uint64_t percent)
{
	char expected[40];

	if (percent == PROFILE_NONE)
		return;
	snprintf(expected, sizeof(expected), "%llu 100000", (unsigned long long)percent * 1000);
	add_limit(plan, "cpu.max", expected, "CPUQuota=%llu%%", (unsigned long long)percent);
}

static void build_limits(struct plan *plan, const struct plan_input *input)
{
	const struct profile *profile = input->profile;
	uint64_t total = input->facts->memory_total;

	add_bytes(plan, "memory.max", "MemoryMax", profile_bytes(&profile->memory_max, total));
	add_bytes(plan, "memory.high", "MemoryHigh", profile_bytes(&profile->memory_high, total));
	/* A host without swap has no file for it where swap accounting is off: nothing to limit then. */
	if (input->facts->swap_total > 0)
		add_bytes(plan, "memory.swap.max", "MemorySwapMax", profile_bytes(&profile->swap_max, total));
	add_count(plan, "pids.max", "TasksMax", profile->tasks_max, "");
	add_count(plan, "cpu.weight", "CPUWeight", profile->cpu_weight, "");
	add_count(plan, "io.weight", "IOWeight", profile->io_weight, "default ");
	add_cpus(plan, profile->cpu_percent);
}

/* Where the account's own slice does not hold what the profile says, [account] is a promise and no limit. */
static void build_account_limits(struct plan *plan, const struct plan_input *input)
{
	const struct profile *profile = input->profile;
	size_t first = plan->limits_len;

	add_bytes(plan, "memory.max", "MemoryMax", profile_bytes(&profile->account_memory_max, input->facts->memory_total));
	add_count(plan, "pids.max", "TasksMax", profile->account_tasks_max, "");
	add_cpus(plan, profile->account_cpu_percent);
	for (size_t i = first; i < plan->limits_len; i++)
		plan->limits[i].is_account = true;
}

/* Whole cpus, rounded up; where they begin is spread by the run's random name. */
static void build_cpus(struct plan *plan, const struct plan_input *input)
{
	if (input->profile->cpu_percent == PROFILE_NONE)
		return;
	plan->cpus = (unsigned)((input->profile->cpu_percent + 99) / 100);
	for (const char *at = input->session; *at; at++)
		plan->cpus_from = plan->cpus_from * 31 + (unsigned char)*at;
}

static int build_rlimits(struct plan *plan, const struct plan_input *input, struct err *err)
{
	for (int i = 0; i < LIMITS_COUNT; i++) {
		uint64_t value = input->profile->limits[i], hard = input->facts->hard_limits[i];

		if (value == LIMIT_UNSET)
			continue;
		/* Above the hard limit nobody but root can go; below it is the stricter one. */
		if (hard != LIMIT_UNLIMITED && (value == LIMIT_UNLIMITED || value > hard))
			value = hard;
		if (value == LIMIT_UNLIMITED)
			strv_addf(&plan->rlimits, "--%s=unlimited:unlimited", limits_table[i].name);
		else
			strv_addf(&plan->rlimits, "--%s=%llu:%llu", limits_table[i].name, (unsigned long long)value,
				(unsigned long long)value);
	}
	return strv_finish(&plan->rlimits, err);
}

static void settle_grade(struct plan *plan, const struct profile *profile, const char *why)
{
	char lacks[64], detail[ERR_TEXT_SIZE];

	plan->grade = plan->lacks ? GRADE_PARTIAL : GRADE_FULL;
	if (plan->grade == GRADE_FULL || profile->min_grade == MIN_GRADE_PARTIAL)
		return;
	snprintf(detail, sizeof(detail), "grade would be partial, lacks %s: %s", facets_text(plan->lacks, lacks, sizeof(lacks)), why);
	plan_refuse(plan, REASON_GRADE, "grade", detail);
}

/* No scope, or one that does not hold: refused, or run without limits where the profile says so. */
static void lack_limits(struct plan *plan, const struct profile *profile, const char *why)
{
	plan->lacks |= FACET_LIMITS;
	if (profile->enforce == ENFORCE_REQUIRED)
		plan_refuse(plan, REASON_GRADE, "limits", why);
}

void plan_settle_limits(struct plan *plan, const struct profile *profile, const char *const *values)
{
	char why[384] = "";

	for (size_t i = 0; i < plan->limits_len && !why[0]; i++) {
		const struct plan_limit *limit = &plan->limits[i];

		if (limit->is_account && (!values[i] || strcmp(values[i], limit->expected) != 0))
			snprintf(why, sizeof(why), "the account's slice has %s %.64s, [account] says %s: root runs stockade enroll to write its drop-in",
				limit->file, values[i] ? values[i] : "missing", limit->expected);
		else if (!values[i])
			snprintf(why, sizeof(why), "the scope has no %s: the controller is not delegated to the user manager (Delegate= of user@.service), or the host has cgroup v1", limit->file);
		else if (strcmp(values[i], limit->expected) != 0)
			snprintf(why, sizeof(why), "the scope's %s reads %.64s, asked for was %s", limit->file, values[i], limit->expected);
	}
	if (!why[0])
		return;
	plan->facets &= ~(unsigned)FACET_LIMITS;
	lack_limits(plan, profile, why);
	if (plan->reason == REASON_NONE)
		settle_grade(plan, profile, why);
}

enum plan_attempt plan_judge_attempt(int errnum)
{
	switch (errnum) {
	case 0:
		return ATTEMPT_WORKS;
	case EPERM:
	case EACCES:
	case EINVAL:
	case EROFS: /* /proc/sys of a container, where user.max_user_namespaces is to be written */
		return ATTEMPT_LOST;
	case ENOSPC:
	case EAGAIN:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case EUSERS:
		return ATTEMPT_NOW;
	default:
		return ATTEMPT_ODD;
	}
}

bool plan_expects_failure(const struct plan *plan, const struct attempt *attempts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((plan->facets & attempts[i].facet) && plan_judge_attempt(attempts[i].errnum) == ATTEMPT_LOST)
			return true;
	return false;
}

bool plan_step_down(struct plan *plan, struct facts *facts, const struct attempt *attempts, size_t count, const char *detail)
{
	unsigned lost = 0;
	char why[512];

	for (size_t i = 0; i < count; i++) {
		enum plan_attempt judgement = plan_judge_attempt(attempts[i].errnum);

		snprintf(why, sizeof(why), "%s: %s", attempts[i].how, strerror(attempts[i].errnum));
		if (judgement == ATTEMPT_NOW) {
			plan_refuse(plan, REASON_BUSY, "setup", why);
			return false;
		}
		if (judgement == ATTEMPT_WORKS)
			continue;
		/* What is never given up, and what cannot be explained. */
		if (judgement == ATTEMPT_ODD || !attempts[i].facet) {
			plan_refuse(plan, REASON_FENCE, "setup", why);
			return false;
		}
		if ((plan->facets & attempts[i].facet) && !lost)
			snprintf(facts->lost_why, sizeof(facts->lost_why), "%.255s", why);
		lost |= plan->facets & attempts[i].facet;
	}
	facts->lost |= lost;
	if (lost)
		return true;
	plan_refuse(plan, REASON_FENCE, "setup", detail);
	return false;
}

void plan_look_again(struct plan *plan, bool has_worked, const struct attempt *attempts, size_t count)
{
	bool is_passing = has_worked;
	char detail[sizeof(plan->detail)];

	for (size_t i = 0; i < count; i++)
		is_passing |= plan_judge_attempt(attempts[i].errnum) == ATTEMPT_NOW;
	if (plan->reason != REASON_FENCE || !is_passing)
		return;
	memcpy(detail, plan->detail, sizeof(detail));
	plan_refuse(plan, REASON_BUSY, plan->stage, detail);
}

void plan_add_detail(struct plan *plan, const char *more)
{
	size_t len = strlen(plan->detail);

	if (*more)
		snprintf(plan->detail + len, sizeof(plan->detail) - len, ": %s", more);
}

static int predict_cgroup(struct plan *plan, const struct plan_input *input)
{
	bool has_scope = (plan->facets & FACET_LIMITS) && input->facts->manager_cgroup[0];

	if (!has_scope) {
		plan->cgroup = strdup("");
		return plan->cgroup ? 0 : -ENOMEM;
	}
	if (asprintf(&plan->cgroup, "/sys/fs/cgroup%s/app.slice/stockade-%s.scope", input->facts->manager_cgroup, input->session) < 0)
		plan->cgroup = NULL;
	return plan->cgroup ? 0 : -ENOMEM;
}

static void build_grade(struct plan *plan, const struct plan_input *input)
{
	const struct facts *facts = input->facts;
	const char *no_scope = facts->limits_problem[0] ? facts->limits_problem : facts->lost_why;
	bool has_scope = !facts->limits_problem[0] && !(facts->lost & FACET_LIMITS), wants_userns = false;

	plan->facets = FACETS_ALL & ~facts->lost;
	plan->lacks = facts->lost & FACETS_ALL;
	for (size_t i = 0; i < input->profile->seccomp_allow.len; i++) {
		plan->seccomp_allow |= seccomp_allow_from_name(input->profile->seccomp_allow.items[i]);
		wants_userns |= strcmp(input->profile->seccomp_allow.items[i], "userns") == 0;
	}
	/* What the profile allows is not missing. */
	if (wants_userns) {
		plan->facets &= ~(unsigned)FACET_USERNS;
		plan->lacks &= ~(unsigned)FACET_USERNS;
	}
	if (!has_scope)
		plan->facets &= ~(unsigned)FACET_LIMITS;
	if (!has_scope || facts->unlimited_why[0])
		lack_limits(plan, input->profile, has_scope ? facts->unlimited_why : no_scope);
	if (plan->reason == REASON_NONE)
		settle_grade(plan, input->profile, has_scope && facts->unlimited_why[0] ? facts->unlimited_why : no_scope);
}

/* Rules and files of the private network; refused where names have no address now. */
static int build_network(struct plan *plan, const struct plan_input *input)
{
	const struct profile *profile = input->profile;
	const struct facts_network *network = &input->facts->network;

	if (profile->network != NETWORK_SLIRP)
		return 0;
	if (network->problem[0]) {
		plan_refuse(plan, REASON_NETWORK, "network", network->problem);
		return 0;
	}
	plan->net_rules = egress_rules(&profile->network_allow, &profile->dns, network);
	plan->texts[DATA_HOSTS] = egress_hosts(network, input->facts->hostname);
	plan->texts[DATA_RESOLV] = egress_resolv_conf(&profile->dns);
	plan->texts[DATA_NSSWITCH] = strdup("passwd: files\ngroup: files\nhosts: files dns\n");
	return plan->net_rules && plan->texts[DATA_HOSTS] && plan->texts[DATA_RESOLV] && plan->texts[DATA_NSSWITCH] ? 0 : -ENOMEM;
}

int plan_build(struct plan *plan, const struct plan_input *input, struct err *err)
{
	int r;

	if (input->facts->tool_problem[0]) {
		plan_refuse(plan, REASON_TOOLS, "tools", input->facts->tool_problem);
		return 0;
	}
	if (input->profile->tmp_size.is_set && input->profile->backing == BACKING_DISK && !input->has_connection_size) {
		plan_refuse(plan, REASON_SESSION, "session", "[tmp] size with backing = disk: the connection has no directory of that size, which "
			"takes pam_stockade in sshd's PAM stack and a file system with project quotas");
		return 0;
	}
	build_grade(plan, input);
	if (plan->reason != REASON_NONE)
		return 0;
	plan->has_terminal = input->request->has_terminal && input->verdict->kind != REQUEST_SFTP;
	plan->umask = input->profile->umask;
	plan->seccomp_deny = (const char *const *)input->profile->seccomp_deny.items;
	if (plan->facets & FACET_LIMITS)
		build_limits(plan, input);
	if (plan->facets & FACET_LIMITS)
		build_account_limits(plan, input);
	build_cpus(plan, input);
	plan->has_sftp_log = input->verdict->kind == REQUEST_SFTP;
	plan->has_output_max = input->profile->output_max.is_set;
	if (build_network(plan, input))
		return err_set(err, ENOMEM, "out of memory");
	if (plan->reason != REASON_NONE)
		return 0;
	if (predict_cgroup(plan, input) || strv_copy(&plan->command, &input->verdict->argv))
		return err_set(err, ENOMEM, "out of memory");
	r = view_build(plan, input, err);
	if (r == -EINVAL) {
		plan_refuse(plan, REASON_PROFILE, "workspace", err->text);
		return 0;
	}
	if (r == 0)
		r = build_rlimits(plan, input, err);
	return r ? r : environment_build(plan, input, err);
}

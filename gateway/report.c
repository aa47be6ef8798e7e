/* SPDX-License-Identifier: ISC */
/* Owns which words a record has, and in which order; decides nothing and sends nothing. */
#include "report.h"

#include <sha2.h>
#include <stdio.h>
#include <string.h>

const char *report_command(const struct decision *decision, char *name, size_t size)
{
	const char *text = decision->request.text ? decision->request.text : "";
	int how = decision->has_profile ? decision->profile.log_command : LOG_COMMAND_FULL;

	if (how == LOG_COMMAND_NONE)
		return NULL;
	if (how == LOG_COMMAND_FULL)
		return text;
	snprintf(name, size, "%.*s", (int)strcspn(text, " \t\n;&|<>()$`"), text);
	return name;
}

static void add_command(const struct decision *decision, struct record *record)
{
	char name[256], digest[SHA256_DIGEST_STRING_LENGTH] = "";
	const char *text = report_command(decision, name, sizeof(name));

	if (!text)
		return;
	if (record_cuts(record, text))
		SHA256Data((const uint8_t *)text, strlen(text), digest);
	record_add_command(record, text, digest[0] ? digest : NULL);
}

/* session, user, actor, key, from, kind: what every record begins with. */
static void add_who(const struct decision *decision, const char *session, const char *connection, struct record *record)
{
	record_add(record, "session", session);
	if (connection[0])
		record_add(record, "conn", connection);
	record_add(record, "user", decision->account.name);
	record_add(record, "actor", decision->input.actor);
	record_add(record, "key", decision->identity.key);
	record_add(record, "from", decision->request.from);
	record_add(record, "kind", request_kind_name(decision->verdict.section ? decision->verdict.kind : decision->request.kind));
}

void report_refuse(struct record *record, const struct decision *decision, const char *session, const char *connection)
{
	record_begin(record, "refuse");
	add_who(decision, session, connection, record);
	record_add(record, "reason", plan_reason_name(decision->plan.reason));
	record_add(record, "stage", decision->plan.stage);
	record_add(record, "detail", decision->plan.detail);
	add_command(decision, record);
}

void report_start(struct record *record, const struct decision *decision, const char *session, const char *connection)
{
	const struct verdict *verdict = &decision->verdict;
	const char *file = decision->profile.files.items[decision->profile.files.len - 1];
	char lacks[64];

	record_begin(record, "start");
	add_who(decision, session, connection, record);
	record_add(record, "profile", strrchr(file, '/') + 1);
	record_add(record, "rule", verdict->rule ? verdict->rule->name : NULL);
	record_add(record, "grade", grade_name(decision->plan.grade));
	record_add(record, "lacks", facets_text(decision->plan.lacks, lacks, sizeof(lacks)));
	record_add(record, "net", decision->plan.net_rules ? "slirp" : "none");
	record_add(record, "tty", decision->plan.has_terminal ? "yes" : "no");
	add_command(decision, record);
}

void report_words(char *out, size_t size, const struct decision *decision, const char *session)
{
	char lacks[64];

	snprintf(out, size, "session=%s user=%s actor=%s grade=%s lacks=%s", session, decision->account.name,
		decision->input.actor ? decision->input.actor : "-", grade_name(decision->plan.grade),
		facets_text(decision->plan.lacks, lacks, sizeof(lacks)));
}

void report_end(struct record *record, const struct decision *decision, const char *session, const struct outcome *outcome,
	const struct report_run *run)
{
	char lacks[64];

	record_begin(record, "end");
	record_add(record, "session", session);
	record_add(record, "user", decision->account.name);
	record_add(record, "actor", decision->input.actor);
	record_add(record, "by", outcome_by_name(outcome->by));
	record_addf(record, "exit", "%d", outcome->exit);
	record_add(record, "signal", outcome->signal ? sigabbrev_np(outcome->signal) : NULL);
	record_addf(record, "secs", "%.2f", run->seconds);
	record_addf(record, "cpu", "%.2f", run->cpu_seconds);
	if (run->peak >= 0)
		record_addf(record, "peak", "%lldM", run->peak >> 20);
	else
		record_add(record, "peak", NULL);
	record_addf(record, "oom", "%lld", run->oom_kills > 0 ? run->oom_kills : 0);
	record_addf(record, "pids_max", "%lld", run->pids_max > 0 ? run->pids_max : 0);
	if (run->is_network_lost)
		record_add(record, "net", "lost");
	if (decision->plan.net_rules && run->net_refused >= 0)
		record_addf(record, "net_refused", "%lld", run->net_refused);
	else if (decision->plan.net_rules)
		record_add(record, "net_refused", NULL);
	record_add(record, "grade", grade_name(decision->plan.grade));
	record_add(record, "lacks", facets_text(decision->plan.lacks, lacks, sizeof(lacks)));
}

void report_sftp(struct record *record, const char *session, const struct sftplog_line *line)
{
	record_begin(record, "sftp");
	record_add(record, "session", session);
	record_add(record, "op", line->op);
	record_add(record, "path", line->path);
	if (line->to[0])
		record_add(record, "to", line->to);
	if (strcmp(line->op, "close") != 0)
		return;
	record_addf(record, "bytes", "%llu", line->read + line->written);
	record_add(record, "way", line->written ? "in" : "out");
}

bool report_sentence(char *out, size_t size, const struct decision *decision, const struct outcome *outcome, const struct report_run *run,
	const char *why)
{
	if (why[0])
		snprintf(out, size, "the command was ended: %s", why);
	else if (outcome->by == BY_GATEWAY)
		snprintf(out, size, "the fence around the command failed; the administrator can see why in the log");
	else if (run->oom_kills > 0 && run->oom_hits == 0)
		snprintf(out, size, "memory ran out for the whole account or host: %lld of the command's processes were killed below their own limit",
			run->oom_kills);
	else if (run->oom_kills > 0)
		snprintf(out, size, "memory ran out: %lld of the command's processes were killed at the limit of %llu MiB", run->oom_kills,
			(unsigned long long)profile_bytes(&decision->profile.memory_max, decision->facts.memory_total) >> 20);
	else if (run->is_network_lost)
		snprintf(out, size, "the private network ended before the command did; the administrator can see when in the log");
	else
		return false;
	return true;
}

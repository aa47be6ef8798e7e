/* SPDX-License-Identifier: ISC */
/* The records of a request and its run, stockade-gateway(8): from a decision to a line, without a system around it. */
#pragma once

#include "decision.h"
#include "outcome.h"
#include "record.h"
#include "sftplog.h"

struct report_run {
	double seconds, cpu_seconds;
	long long peak, oom_kills, oom_hits, pids_max, net_refused; /* -1: not known */
	bool is_network_lost;
};

/* connection: "" for none. */
void report_start(struct record *record, const struct decision *decision, const char *session, const char *connection);
void report_refuse(struct record *record, const struct decision *decision, const char *session, const char *connection);
void report_end(struct record *record, const struct decision *decision, const char *session, const struct outcome *outcome,
	const struct report_run *run);
void report_sftp(struct record *record, const char *session, const struct sftplog_line *line);

/* What [log] command lets through of the command: NULL, the text, or its first word in name. */
const char *report_command(const struct decision *decision, char *name, size_t size);

/* "session=… user=… actor=… grade=… lacks=…": what the end of a killed run is told with, record_begin_lost(). */
void report_words(char *out, size_t size, const struct decision *decision, const char *session);

/* Why it ended, for the user: false where he knows already. why: the gateway's own reason, "" for none. */
bool report_sentence(char *out, size_t size, const struct decision *decision, const struct outcome *outcome, const struct report_run *run,
	const char *why);

/* SPDX-License-Identifier: ISC */
/* Owns how many records an sftp session may make; what a line means is sftplog.c's. */
#include "sftprecords.h"

#include <unistd.h>

#include "record.h"
#include "report.h"
#include "sftplog.h"
#include "tell.h"

static void take(void *data, const char *text)
{
	struct sftprecords *records = data;
	struct sftplog_line line;
	struct record record;
	struct err ignored;

	if (!sftplog_parse(&line, text)) {
		if (!sftplog_is_chatter(text)) {
			tell(STDERR_FILENO, text, 0);
			tell(STDERR_FILENO, "\n", 0);
		}
		return;
	}
	if (records->count++ >= SFTPRECORDS_MAX) {
		records->dropped++;
		return;
	}
	report_sftp(&record, records->session, &line);
	log_send(records->log, record.text, &ignored);
}

int sftprecords_open(struct sftprecords *records, struct log *log, const char *session, struct err *err)
{
	records->log = log;
	records->session = session;
	records->count = records->dropped = 0;
	return lines_open(&records->lines, take, records, err);
}

void sftprecords_close(struct sftprecords *records)
{
	struct record record;
	struct err ignored;

	lines_close(&records->lines);
	if (!records->dropped)
		return;
	record_begin(&record, "sftp");
	record_add(&record, "session", records->session);
	record_add(&record, "op", "dropped");
	record_addf(&record, "count", "%lu", records->dropped);
	log_send(records->log, record.text, &ignored);
	records->dropped = 0;
}

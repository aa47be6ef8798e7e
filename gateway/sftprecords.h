/* SPDX-License-Identifier: ISC */
/* sftp-server's log, which is its standard error, as the session's records; what is not of it goes on to the client. */
#pragma once

#include "lines.h"
#include "log.h"

/* A client can make any number of them; past this many only their number is logged. */
#define SFTPRECORDS_MAX 10000

struct sftprecords {
	struct lines lines;
	struct log *log;     /* borrowed, like the session's id */
	const char *session;
	unsigned long count, dropped;
};

#define SFTPRECORDS_INIT { .lines = LINES_INIT }

int sftprecords_open(struct sftprecords *records, struct log *log, const char *session, struct err *err);
/* What is left of the stream, and how many records were dropped. Once more does nothing. */
void sftprecords_close(struct sftprecords *records);

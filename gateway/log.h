/* SPDX-License-Identifier: ISC */
/*
 * The way to syslog, by our own datagram: syslog(3) does not say whether a record arrived, and
 * nothing may run unlogged.
 */
#pragma once

#include "err.h"

struct log {
	int fd; /* -1: closed */
};

#define LOG_INIT { -1 }

/* Connects to /dev/log. Errors: as connect(2) gives them, with a sentence. */
int log_open(struct log *log, struct err *err);
void log_close(struct log *log);
#define _cleanup_log_ __attribute__((cleanup(log_close)))

/* Sends one record as LOG_AUTHPRIV, LOG_INFO; waits at most five seconds for room. */
int log_send(struct log *log, const char *text, struct err *err);

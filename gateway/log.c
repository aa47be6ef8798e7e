/* SPDX-License-Identifier: ISC */
/* Owns the syslog socket; never looks at what it sends. */
#include "log.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "record.h"

#define WAIT_MS 5000

int log_open(struct log *log, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/dev/log" };
	int r;

	log->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (log->fd >= 0 && connect(log->fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	r = err_set(err, errno, "/dev/log: %s", strerror(errno));
	log_close(log);
	return r;
}

void log_close(struct log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

/* RFC 3164's form, which every local syslog socket takes; English month names whatever the locale. */
static int format(char *out, size_t size, const char *text)
{
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t now = time(NULL);
	struct tm tm = { 0 };

	localtime_r(&now, &tm);
	return snprintf(out, size, "<%d>%s %2d %02d:%02d:%02d stockade[%d]: %s", LOG_AUTHPRIV | LOG_INFO, months[tm.tm_mon % 12],
		tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, getpid(), text);
}

int log_send(struct log *log, const char *text, struct err *err)
{
	char line[RECORD_MAX + 128];
	int len = format(line, sizeof(line), text);

	if (len < 0 || (size_t)len >= sizeof(line))
		return err_set(err, EMSGSIZE, "record is too long");
	for (int reconnects = 0;;) {
		struct pollfd ready = { .fd = log->fd, .events = POLLOUT };

		if (log->fd >= 0 && send(log->fd, line, (size_t)len, MSG_NOSIGNAL) == len)
			return 0;
		if (log->fd >= 0 && errno == EINTR)
			continue;
		if (log->fd >= 0 && (errno == EAGAIN || errno == ENOBUFS) && poll(&ready, 1, WAIT_MS) > 0)
			continue;
		/* The log daemon may have been restarted since the socket was connected. */
		if (reconnects++ || (log->fd >= 0 && (errno == EAGAIN || errno == ENOBUFS)))
			return err_set(err, EIO, "/dev/log: the record was not taken");
		log_close(log);
		if (log_open(log, err))
			return -EIO;
	}
}

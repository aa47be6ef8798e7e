/* SPDX-License-Identifier: ISC */
/* Owns the writing of a line that nobody may ever read; decides nothing on its words. */
#include "tell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

void tell(int fd, const char *text, int ms)
{
	struct pollfd item = { .fd = fd, .events = POLLOUT };
	int flags = fcntl(fd, F_GETFL);
	size_t len = strlen(text);
	int64_t until = clock_ms() + ms, left;

	/* A terminal may be ready for less than all of it. */
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return;
	while (len && (left = until - clock_ms()) >= 0 && poll(&item, 1, (int)left) == 1) {
		ssize_t put = write(fd, text, len);

		if (put < 0 && errno != EAGAIN && errno != EINTR)
			break;
		if (put <= 0)
			continue;
		text += put;
		len -= (size_t)put;
	}
	fcntl(fd, F_SETFL, flags);
}

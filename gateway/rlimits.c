/* SPDX-License-Identifier: ISC */
/* Owns the table of rlimits; never sets one. */
#include "rlimits.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "text.h"

const struct limit_row limits_table[LIMITS_COUNT] = {
	{ "as", RLIMIT_AS, 'b', "address space of one process" },
	{ "core", RLIMIT_CORE, 'b', "size of a core file" },
	{ "cpu", RLIMIT_CPU, 's', "cpu time of one process" },
	{ "data", RLIMIT_DATA, 'b', "data segment of one process" },
	{ "fsize", RLIMIT_FSIZE, 'b', "size of a file a process may write" },
	{ "locks", RLIMIT_LOCKS, 'n', "file locks held" },
	{ "memlock", RLIMIT_MEMLOCK, 'b', "locked memory" },
	{ "msgqueue", RLIMIT_MSGQUEUE, 'b', "bytes in POSIX message queues" },
	{ "nice", RLIMIT_NICE, 'n', "ceiling of the nice value, as 20 minus it" },
	{ "nofile", RLIMIT_NOFILE, 'n', "open files of one process" },
	{ "nproc", RLIMIT_NPROC, 'n', "processes of the user" },
	{ "rss", RLIMIT_RSS, 'b', "resident set, without effect on Linux" },
	{ "rtprio", RLIMIT_RTPRIO, 'n', "ceiling of the real-time priority" },
	{ "rttime", RLIMIT_RTTIME, 'n', "real-time cpu time, in microseconds" },
	{ "sigpending", RLIMIT_SIGPENDING, 'n', "queued signals" },
	{ "stack", RLIMIT_STACK, 'b', "stack of one process" },
};

int limits_find(const char *name)
{
	for (int i = 0; i < LIMITS_COUNT; i++)
		if (strcmp(limits_table[i].name, name) == 0)
			return i;
	return -1;
}

int limits_parse(const struct limit_row *row, const char *text, uint64_t *value, struct err *err)
{
	struct text_amount amount;
	int r;

	if (strcmp(text, "unlimited") == 0) {
		*value = LIMIT_UNLIMITED;
		return 0;
	}
	switch (row->unit) {
	case 'b':
		r = text_size(text, &amount);
		/* Above it are no sizes, and the two values that mean none and unlimited. */
		if (r == 0 && !amount.is_percent && amount.value <= INT64_MAX) {
			*value = amount.value;
			return 0;
		}
		return err_set(err, EINVAL, "\"%s\" is not a size; accepted are 64M, 2G, unlimited", text);
	case 's':
		if (text_duration(text, value) == 0)
			return 0;
		return err_set(err, EINVAL, "\"%s\" is not a time; accepted are 30s, 10m, 2h, unlimited", text);
	default:
		if (text_number(text, INT64_MAX, value) == 0)
			return 0;
		return err_set(err, EINVAL, "\"%s\" is not a number; accepted are 4096, unlimited", text);
	}
}

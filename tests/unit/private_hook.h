/* SPDX-License-Identifier: ISC */
/* The hook as root's child of a process that stands for sshd, on a system of the test's own. Root only. */
#pragma once

#include "connection.h"
#include "hook.h"
#include "private_system.h"

#define PROFILE "[workspace]\npath = /srv/build\n"

static inline int run_phase(const struct hook_input *input)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(hook_run(input));
	return temp_wait(pid);
}

static inline int run(const char *phase, const char *user, const char *service)
{
	const struct hook_input input = { .phase = phase, .user = user, .service = service, .host = "192.0.2.7", .auth = "publickey x y\n" };

	return run_phase(&input);
}

static inline int open_host(void)
{
	system_host();
	if (mount("none", "/run", "tmpfs", 0, "mode=0755"))
		_exit(NO_SYSTEM);
	return system_log();
}

static char last_id[64];
static int records;

static inline bool see(void *data, const struct connection *connection)
{
	struct connection *kept = data;

	records++;
	snprintf(last_id, sizeof(last_id), "%s", connection->id);
	*kept = *connection;
	return false;
}

/* The last one is kept. */
static inline int count_records(struct connection *kept)
{
	static struct connection room;

	records = 0;
	connection_each(SYSTEM_USER, &room, see, kept);
	return records;
}

static inline bool is_there(const char *id)
{
	char path[128];

	snprintf(path, sizeof(path), "/var/lib/stockade/tmp/nobody/%s", id);
	return access(path, F_OK) == 0;
}

/* SPDX-License-Identifier: ISC */
/* Owns the list of running commands, and ending one. Everything shown is untrusted text, and escaped. */
#include "who.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "runs.h"
#include "scope.h"
#include "text.h"

struct who {
	struct json_object *list; /* for --json, else NULL */
};

static void usage_of(const struct runs_item *item, double *cpu, long long *memory)
{
	struct scope scope = SCOPE_INIT;
	char path[600];

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s", item->scope);
	if (item->scope[0] == '/' && !strstr(item->scope, "/../"))
		scope.fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*cpu = (double)scope_number(&scope, "cpu.stat", "usage_usec") / 1e6;
	*memory = scope_number(&scope, "memory.current", NULL);
	scope_close(&scope);
}

static void show_json(struct json_object *list, const struct runs_item *item, double cpu, long long memory)
{
	struct json_object *object = json_object_new_object();
	const struct {
		const char *key, *value;
	} words[] = { { "session", item->session }, { "user", item->user }, { "actor", item->actor }, { "from", item->from },
		{ "kind", item->kind }, { "grade", item->grade }, { "command", item->command } };
	char text[1024];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		json_object_object_add(object, words[i].key, json_object_new_string(text_show(text, sizeof(text), words[i].value)));
	json_object_object_add(object, "since", json_object_new_int64(item->since));
	json_object_object_add(object, "pid", json_object_new_int(item->pid));
	json_object_object_add(object, "cpu", cpu < 0 ? NULL : json_object_new_double(cpu));
	json_object_object_add(object, "memory", memory < 0 ? NULL : json_object_new_int64(memory));
	json_object_array_add(list, object);
}

static void show(void *data, const struct runs_item *item)
{
	struct who *who = data;
	char user[300], actor[300], from[100], command[512], since[32] = "-", used[32] = "-", held[32] = "-";
	time_t begin = (time_t)item->since;
	struct tm tm;
	double cpu;
	long long memory;

	usage_of(item, &cpu, &memory);
	if (who->list) {
		show_json(who->list, item, cpu, memory);
		return;
	}
	if (localtime_r(&begin, &tm))
		strftime(since, sizeof(since), "%m-%d %H:%M:%S", &tm);
	if (cpu >= 0)
		snprintf(used, sizeof(used), "%.1f", cpu);
	if (memory >= 0)
		snprintf(held, sizeof(held), "%lldM", memory >> 20);
	printf("%-9.9s %-12s %-10s %-22s %-15s %-5.5s %8s %8s %s\n", item->session, text_show(user, sizeof(user), item->user),
		text_show(actor, sizeof(actor), item->actor), text_show(from, sizeof(from), item->from), since, item->kind, used, held,
		text_show(command, sizeof(command), item->command));
}

int who_main(int argc, char *argv[])
{
	struct who who = { NULL };
	struct err err = { "" };

	if (argc > 2 || (argc == 2 && strcmp(argv[1], "--json") != 0)) {
		fprintf(stderr, "usage: stockade who [--json]\n");
		return 2;
	}
	if (argc == 2)
		who.list = json_object_new_array();
	else
		printf("%-9s %-12s %-10s %-22s %-15s %-5s %8s %8s %s\n", "SESSION", "USER", "ACTOR", "FROM", "SINCE", "KIND", "CPU", "MEMORY", "COMMAND");
	if (runs_each(show, &who, &err)) {
		fprintf(stderr, "stockade: %s\n", err.text);
		return 1;
	}
	if (who.list)
		puts(json_object_to_json_string_ext(who.list, JSON_C_TO_STRING_PRETTY));
	json_object_put(who.list);
	return 0;
}

struct kill {
	const char *session, *actor, *user;
	unsigned found, failed;
};

/* By a handle that is taken first and verified then: the pid cannot become another process's meanwhile (pidfd_open(2)). */
static int end_run(const struct runs_item *item)
{
	int fd = (int)syscall(SYS_pidfd_open, item->pid, 0), r = 0;

	if (fd < 0)
		return -errno;
	if (!process_is(item->pid, item->start))
		r = -ESRCH;
	else if (syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) < 0)
		r = -errno;
	close(fd);
	return r;
}

static void end_if_meant(void *data, const struct runs_item *item)
{
	struct kill *kill = data;
	char user[300], actor[300];
	int r;

	if (kill->session ? strcmp(item->session, kill->session) != 0 : strcmp(item->actor, kill->actor) != 0)
		return;
	if (kill->user && strcmp(item->user, kill->user) != 0)
		return;
	kill->found++;
	r = item->pid ? end_run(item) : -ESRCH;
	if (r) {
		kill->failed++;
		fprintf(stderr, "stockade: session %.9s: %s\n", item->session, strerror(-r));
		return;
	}
	printf("session %.9s of %s (%s) is told to end\n", item->session, text_show(user, sizeof(user), item->user),
		text_show(actor, sizeof(actor), item->actor));
}

int kill_main(int argc, char *argv[])
{
	struct kill kill = { NULL, NULL, NULL, 0, 0 };
	struct err err = { "" };

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--actor") == 0 && i + 1 < argc)
			kill.actor = argv[++i];
		else if (strcmp(argv[i], "--user") == 0 && i + 1 < argc)
			kill.user = argv[++i];
		else if (argv[i][0] != '-' && !kill.session)
			kill.session = argv[i];
		else
			kill.session = kill.actor = argv[i];
	}
	if (!kill.session == !kill.actor) {
		fprintf(stderr, "usage: stockade kill SESSION | --actor NAME [--user USER]\n");
		return 2;
	}
	if (runs_each(end_if_meant, &kill, &err)) {
		fprintf(stderr, "stockade: %s\n", err.text);
		return 1;
	}
	if (!kill.found)
		fprintf(stderr, "stockade: nothing of that name runs\n");
	return kill.found && !kill.failed ? 0 : 1;
}

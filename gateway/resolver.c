/* SPDX-License-Identifier: ISC */
/*
 * Owns asking the host's name service. In a child: its modules are others' code, and only from outside can they be
 * stopped when they take too long. The child writes "NAME ADDRESS" lines, or "NAME -SENTENCE" for what failed.
 */
#include "resolver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chain.h"
#include "clock.h"

#define ANSWERS_MAX 65536

static void answer(int fd, const char *name)
{
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	int r = getaddrinfo(name, NULL, &hints, &found);

	if (r)
		dprintf(fd, "%s -%s\n", name, gai_strerror(r));
	for (const struct addrinfo *at = found; at; at = at->ai_next) {
		char text[INET_ADDRSTRLEN];
		struct sockaddr_in address;

		memcpy(&address, at->ai_addr, sizeof(address));
		if (inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text)))
			dprintf(fd, "%s %s\n", name, text);
	}
	if (found)
		freeaddrinfo(found);
}

static int take_line(struct facts_network *network, char *line, struct err *err)
{
	struct facts_name *names, *item;
	char *blank = strchr(line, ' ');

	if (!blank)
		return err_set(err, EPROTO, "an answer of name service cannot be understood");
	*blank = '\0';
	if (blank[1] == '-')
		return err_set(err, ENOENT, "%s: %s", line, blank + 2);
	names = reallocarray(network->names, network->names_len + 1, sizeof(*names));
	if (!names)
		return err_set(err, ENOMEM, "out of memory");
	network->names = names;
	item = &names[network->names_len];
	item->name = strdup(line);
	if (!item->name)
		return err_set(err, ENOMEM, "out of memory");
	network->names_len++;
	snprintf(item->address, sizeof(item->address), "%s", blank + 1);
	return 0;
}

/* Reads until the child closes its end, the time is over: -ETIMEDOUT, or the run is to end: -EINTR. */
static ssize_t read_answers(int fd, int signal_fd, char *text, size_t size)
{
	int64_t begin = clock_ms();
	size_t len = 0;

	for (;;) {
		struct pollfd fds[] = { { .fd = fd, .events = POLLIN }, { .fd = signal_fd, .events = POLLIN } };
		struct err ignored;
		ssize_t got;

		if (clock_ms() - begin >= RESOLVER_SECONDS * 1000)
			return -ETIMEDOUT;
		if (poll(fds, 2, 200) <= 0)
			continue;
		if (fds[1].revents && chain_take_signal(signal_fd, &ignored))
			return -EINTR;
		if (!fds[0].revents)
			continue;
		got = read(fd, text + len, size - 1 - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		len += (size_t)got;
		if (len == size - 1)
			return -E2BIG;
	}
	text[len] = '\0';
	return (ssize_t)len;
}

static int take_answers(struct facts_network *network, const struct strv *names, int fd, int signal_fd, struct err *err)
{
	char *text = malloc(ANSWERS_MAX), *save = NULL;
	ssize_t len = text ? read_answers(fd, signal_fd, text, ANSWERS_MAX) : -ENOMEM;
	int r = 0;

	if (len < 0)
		r = err_set(err, (int)-len, "the names of [network] allow are not resolved: %s", strerror((int)-len));
	for (char *line = r ? NULL : strtok_r(text, "\n", &save); line && r == 0; line = strtok_r(NULL, "\n", &save))
		r = take_line(network, line, err);
	free(text);
	for (size_t i = 0; r == 0 && i < names->len; i++) {
		bool is_found = false;

		for (size_t j = 0; j < network->names_len && !is_found; j++)
			is_found = strcmp(network->names[j].name, names->items[i]) == 0;
		if (!is_found)
			r = err_set(err, ENOENT, "%s: name service gave no answer", names->items[i]);
	}
	return r;
}

int resolver_ask(struct facts_network *network, const struct strv *names, int signal_fd, struct err *err)
{
	int ends[2], r;
	pid_t pid;

	if (!names->len)
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, errno, "no pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		/* Not the client's streams: a killed gateway's client must not wait for name service. */
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int fd = 0; fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
		alarm(RESOLVER_SECONDS * 2);
		for (size_t i = 0; i < names->len; i++)
			answer(ends[1], names->items[i]);
		_exit(0);
	}
	close(ends[1]);
	r = pid < 0 ? err_set(err, errno, "no process: %s", strerror(errno)) : take_answers(network, names, ends[0], signal_fd, err);
	close(ends[0]);
	if (pid > 0)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return r;
}

/*
 * proc(5): an address line, and behind it one "/LENGTH SCOPE TYPE" for each prefix there. LOCAL is what the host answers
 * for: interfaces' addresses, and whole nets that a route gives it; BROADCAST it hears too.
 */
static void take_trie_line(struct facts_network *network, const char *line, char *address, size_t size)
{
	const char *at = strstr(line, "|-- ");
	char prefix[64];

	if (at) {
		snprintf(address, size, "%.*s", (int)strcspn(at + 4, " \n"), at + 4);
		return;
	}
	at = line + strspn(line, " ");
	if (at[0] != '/' || (!strstr(at, " LOCAL") && !strstr(at, " BROADCAST")))
		return;
	snprintf(prefix, sizeof(prefix), "%s%.*s", address, (int)strcspn(at, " "), at);
	if (!strv_contains(&network->own, prefix))
		strv_add(&network->own, prefix);
}

int resolver_own(struct facts_network *network, struct err *err)
{
	FILE *file = fopen("/proc/net/fib_trie", "re");
	char line[256], address[32] = "";

	if (!file)
		return err_set(err, errno, "/proc/net/fib_trie: the host's own addresses cannot be read: %s", strerror(errno));
	while (fgets(line, sizeof(line), file))
		take_trie_line(network, line, address, sizeof(address));
	fclose(file);
	if (!network->own.len)
		return err_set(err, ENOENT, "/proc/net/fib_trie: names no address of the host's own");
	return strv_finish(&network->own, err);
}

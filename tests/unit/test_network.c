/* SPDX-License-Identifier: ISC */
/*
 * A child with namespaces of its own stands for the held command; scripts stand for the tools, which is all that a
 * machine without /dev/net/tun can run. The real ones are tried in the beds.
 */
#include "network.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include "fixture.h"
#include "run.h"
#include "temp.h"

#define EXTRA "[network]\nmode = slirp\n"

struct held {
	struct temp *temp;
	struct fixture f;
	struct chain chain;
	pid_t pid;
	int signal_fd;
	char bwrap[4200], nft[4200];
};

static void live(int ready_fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		_exit(1);
	if (write(ready_fd, "x", 1) == 1)
		pause();
	_exit(0);
}

static unsigned long inode_of(pid_t pid, const char *kind)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, kind);
	return stat(path, &st) < 0 ? 0 : (unsigned long)st.st_ino;
}

/* Kept by root where others look, as tools are; rules.txt and the like lie beside them. */
static void script(struct held *held, const char *name, char *path, const char *text)
{
	char body[4096];

	snprintf(body, sizeof(body), "#!/bin/sh\ncd '%s' || exit 1\n%s\n", held->temp->path, text);
	temp_file(held->temp, name, body, 0755);
	snprintf(path, 4200, "%s/%s", held->temp->path, name);
}

static void set_tool(char **tool, const char *path)
{
	free(*tool);
	*tool = strdup(path);
}

/* bwrap stands in for itself and for the helper behind it. */
static void hold(struct held *held, void **state, const char *bwrap, const char *nft)
{
	struct err err = { "" };
	char byte;
	int ends[2];

	*held = (struct held){ .temp = *state };
	fixture_open(&held->f, FIXTURE_WORKSPACE "[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n" EXTRA);
	held->f.facts.lost = FACET_LIMITS;
	fixture_decide(&held->f);
	assert_non_null(held->f.plan.net_rules);
	script(held, "bwrap", held->bwrap, bwrap);
	script(held, "nft", held->nft, nft);
	set_tool(&held->f.profile.tool_bwrap, held->bwrap);
	set_tool(&held->f.profile.tool_nft, held->nft);
	assert_int_equal(pipe(ends), 0);
	held->pid = fork();
	if (held->pid == 0)
		live(ends[1]);
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		temp_skip("no user namespaces here: the beds have them");
	close(ends[0]);
	chain_init(&held->chain);
	held->chain.pid = held->pid;
	held->chain.status = (struct status){ .child_pid = held->pid, .net_namespace = inode_of(held->pid, "net") };
	held->signal_fd = run_block_signals(&err);
}

static void let_go(struct held *held)
{
	kill(held->pid, SIGKILL);
	if (!held->chain.is_reaped)
		temp_wait(held->pid);
	close(held->signal_fd);
	fixture_close(&held->f);
}

static int try(struct held *held, struct network *network, struct err *err)
{
	return network_open(network, &held->chain, &held->f.plan, &held->f.input, held->signal_fd, err);
}

static void read_text(const struct temp *temp, const char *name, char *text, size_t size)
{
	char path[4200];
	int fd;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/%s", temp->path, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, size - 1);
	text[len > 0 ? len : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Says 1 on the descriptor behind --ready-fd. */
#define READY "for word; do [ \"$last\" = --ready-fd ] && printf 1 >/proc/self/fd/$word; last=$word; done\n"

static void rules_are_loaded_in_the_runs_namespace_before_the_helper_is_there(void **state)
{
	struct network network = NETWORK_INIT;
	struct held held;
	struct err err = { "" };
	char text[8192];
	pid_t helper;

	hold(&held, state, "readlink /proc/self/ns/net >helper.txt; test -s rules.txt && echo later >>helper.txt\n" READY "sleep 60",
		"cat >rules.txt; readlink /proc/self/ns/net >nft.txt; env >>nft.txt; grep CapEff /proc/self/status >>nft.txt");
	if (try(&held, &network, &err))
		fail_msg("%s", err.text);
	read_text(held.temp, "rules.txt", text, sizeof(text));
	assert_string_equal(text, held.f.plan.net_rules);
	read_text(held.temp, "nft.txt", text, sizeof(text));
	assert_int_equal(strtoul(strchr(text, '[') + 1, NULL, 10), held.chain.status.net_namespace);
	assert_null(strstr(text, "HOME="));
	read_text(held.temp, "helper.txt", text, sizeof(text));
	assert_int_equal(strtoul(strchr(text, '[') + 1, NULL, 10), inode_of(getpid(), "net"));
	assert_non_null(strstr(text, "later"));
	assert_true(network.helper_fd >= 0);
	helper = network.helper;
	assert_true(helper > 1);
	assert_int_equal(kill(helper, 0), 0);
	network_close(&network);
	assert_int_equal(kill(helper, 0), -1);
	let_go(&held);
}

static void handles_that_are_not_what_bwrap_said_are_refused(void **state)
{
	struct network network = NETWORK_INIT;
	struct held held;
	struct err err = { "" };

	hold(&held, state, READY "sleep 60", "touch loaded");
	held.chain.status.net_namespace = inode_of(getpid(), "net");
	assert_int_equal(try(&held, &network, &err), -EPROTO);
	held.chain.status.net_namespace = 0;
	assert_int_equal(try(&held, &network, &err), -EPROTO);
	/* Another process, with the host's network. */
	held.chain.status = (struct status){ .child_pid = getpid(), .net_namespace = inode_of(held.pid, "net") };
	assert_int_equal(try(&held, &network, &err), -EPROTO);
	held.chain.status = (struct status){ .child_pid = 999999999, .net_namespace = 1 };
	assert_int_equal(try(&held, &network, &err), -ENOENT);
	assert_false(temp_has(held.temp, "loaded"));
	assert_int_equal(network.net_fd, -1);
	let_go(&held);
}

static void a_failure_is_tried_once_more_and_told(void **state)
{
	struct network network = NETWORK_INIT;
	struct held held;
	struct err err = { "" };
	char text[64];

	hold(&held, state, "echo x >>tries.txt; echo no device >&2; exit 3", "cat >/dev/null");
	assert_int_equal(try(&held, &network, &err), -EIO);
	assert_non_null(strstr(err.text, "no device"));
	read_text(held.temp, "tries.txt", text, sizeof(text));
	assert_string_equal(text, "x\nx\n");
	assert_int_equal(network.helper_fd, -1);
	let_go(&held);
	hold(&held, state, "touch started; exit 3", "echo unknown word >&2; exit 1");
	assert_int_equal(try(&held, &network, &err), -EIO);
	assert_non_null(strstr(err.text, "unknown word"));
	assert_false(temp_has(held.temp, "started"));
	let_go(&held);
}

static void a_second_try_can_succeed(void **state)
{
	struct network network = NETWORK_INIT;
	struct held held;
	struct err err = { "" };

	hold(&held, state, "test -e once || { touch once; exit 1; }\n" READY "sleep 60", "cat >/dev/null");
	if (try(&held, &network, &err))
		fail_msg("%s", err.text);
	network_close(&network);
	let_go(&held);
}

static void refused_packets_are_counted_from_nfts_own_words(void **state)
{
	struct network network = NETWORK_INIT;
	struct held held;
	struct err err = { "" };

	hold(&held, state, READY "sleep 60",
		"case $1 in -f) cat >/dev/null ;; *) echo '{\"nftables\": [{\"metainfo\": {}}, {\"counter\": {\"name\": \"refused\", \"packets\": 7}}]}' ;; esac");
	if (try(&held, &network, &err))
		fail_msg("%s", err.text);
	assert_int_equal(network_count_refused(&network, &held.f.input), 7);
	script(&held, "nft", held.nft, "echo '{\"nftables\": [{\"counter\": '");
	assert_int_equal(network_count_refused(&network, &held.f.input), -1);
	script(&held, "nft", held.nft, "echo '{\"nftables\": 5}'");
	assert_int_equal(network_count_refused(&network, &held.f.input), -1);
	network_close(&network);
	assert_int_equal(network_count_refused(&network, &held.f.input), -1);
	let_go(&held);
}

static void a_signal_ends_the_wait_without_another_try(void **state)
{
	struct network network = NETWORK_INIT;
	struct held held;
	struct err err = { "" };
	char text[64];

	hold(&held, state, "echo x >>waits.txt; kill -HUP $PPID; sleep 60", "cat >/dev/null");
	assert_int_equal(try(&held, &network, &err), -EINTR);
	read_text(held.temp, "waits.txt", text, sizeof(text));
	assert_string_equal(text, "x\n");
	let_go(&held);
}

static void the_chains_end_ends_the_wait(void **state)
{
	struct network network = NETWORK_INIT;
	struct held held;
	struct err err = { "" };
	char text[64];

	/* The held command dies while the helper, that knows nothing of it, is silent. */
	hold(&held, state, "echo x >>waits.txt; kill -KILL $(cat held.txt); exec sleep 60", "cat >/dev/null");
	snprintf(text, sizeof(text), "%d", held.pid);
	temp_file(held.temp, "held.txt", text, 0644);
	assert_int_equal(try(&held, &network, &err), -ECHILD);
	assert_string_equal(err.text, "the chain was killed by signal 9 before the command ran");
	read_text(held.temp, "waits.txt", text, sizeof(text));
	assert_string_equal(text, "x\n");
	assert_int_equal(network.helper_fd, -1);
	let_go(&held);
	hold(&held, state, "touch started", "kill -KILL $(cat held.txt); exec sleep 60");
	snprintf(text, sizeof(text), "%d", held.pid);
	temp_file(held.temp, "held.txt", text, 0644);
	assert_int_equal(try(&held, &network, &err), -ECHILD);
	assert_false(temp_has(held.temp, "started"));
	let_go(&held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rules_are_loaded_in_the_runs_namespace_before_the_helper_is_there, temp_make, temp_remove),
		cmocka_unit_test_setup_teardown(handles_that_are_not_what_bwrap_said_are_refused, temp_make, temp_remove),
		cmocka_unit_test_setup_teardown(a_failure_is_tried_once_more_and_told, temp_make, temp_remove),
		cmocka_unit_test_setup_teardown(a_second_try_can_succeed, temp_make, temp_remove),
		cmocka_unit_test_setup_teardown(refused_packets_are_counted_from_nfts_own_words, temp_make, temp_remove),
		cmocka_unit_test_setup_teardown(a_signal_ends_the_wait_without_another_try, temp_make, temp_remove),
		cmocka_unit_test_setup_teardown(the_chains_end_ends_the_wait, temp_make, temp_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

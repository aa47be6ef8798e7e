/* SPDX-License-Identifier: ISC */
/* Places of runs on a system of the test's own, held as a gateway holds them. Root only. */
#include "runs.h"

#include "private_runs.h"

static struct runs_item items[8];
static size_t items_len;

static void keep(void *data, const struct runs_item *item)
{
	(void)data;
	CHECK(items_len < 8);
	items[items_len++] = *item;
}

static size_t look(void)
{
	struct err err = { "" };

	items_len = 0;
	if (runs_each(keep, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		_exit(1);
	}
	return items_len;
}

static void check_living(void)
{
	pid_t pid;

	runs_host();
	CHECK(look() == 0);
	pid = runs_start("k3v9q2m7.alice", SYSTEM_USER,
		"session=k3v9q2m7 user=nobody actor=alice grade=partial\nconn=-\npid=PID start=START\nfrom=192.0.2.7\nkind=exec\nscope=/user.slice/x.scope\n"
		"since=1764425616\ncmd=make -j8 user=root\n");
	CHECK(look() == 1);
	CHECK(items[0].pid == pid && items[0].uid == SYSTEM_USER && items[0].since == 1764425616);
	CHECK(strcmp(items[0].session, "k3v9q2m7") == 0);
	CHECK(strcmp(items[0].user, "nobody") == 0);
	CHECK(strcmp(items[0].actor, "alice") == 0);
	CHECK(strcmp(items[0].grade, "partial") == 0);
	CHECK(strcmp(items[0].from, "192.0.2.7") == 0);
	CHECK(strcmp(items[0].kind, "exec") == 0);
	CHECK(strcmp(items[0].scope, "/user.slice/x.scope") == 0);
	CHECK(strcmp(items[0].command, "make -j8 user=root") == 0);
	runs_end(pid);
	CHECK(look() == 0);
	CHECK(access(RUNS_DIR "/k3v9q2m7.alice", F_OK) == 0);
}

static void a_run_that_is_held_is_told_whole_and_a_dead_one_is_not(void **state)
{
	(void)state;
	system_run(check_living);
}

static void check_pid(void)
{
	char note[256];
	pid_t pid, root;

	runs_host();
	root = runs_start("roots.-", 0, "session=roots\npid=PID start=START\n");
	CHECK(look() == 1 && items[0].pid == root && items[0].uid == 0);
	/* The account's own place names a process that is not the account's. */
	snprintf(note, sizeof(note), "session=forged\npid=%d start=%llu\n", root, runs_start_of(root));
	pid = runs_start("forged.-", SYSTEM_USER, note);
	CHECK(look() == 2);
	for (size_t i = 0; i < 2; i++)
		CHECK(items[i].pid == (items[i].uid == 0 ? root : 0));
	runs_end(root);
	runs_end(pid);
	/* A pid that is another process's now. */
	pid = runs_start("reused.-", SYSTEM_USER, "session=reused\npid=PID start=1\n");
	CHECK(look() == 1 && items[0].pid == 0);
	runs_end(pid);
}

static void a_process_that_is_not_the_owners_or_not_the_same_is_none(void **state)
{
	(void)state;
	system_run(check_pid);
}

static void check_notes(void)
{
	pid_t pid;

	runs_host();
	pid = runs_start("empty.-", SYSTEM_USER, "\n");
	CHECK(look() == 1);
	CHECK(strcmp(items[0].session, "-") == 0 && strcmp(items[0].command, "-") == 0 && items[0].pid == 0 && items[0].since == 0);
	runs_end(pid);
	pid = runs_start("numbers.-", SYSTEM_USER, "pid=-1 start=x\nsince=99999999999999999999\n");
	CHECK(look() == 1 && items[0].pid == 0 && items[0].since == 0);
	runs_end(pid);
}

static void words_that_are_missing_or_wrong_are_told_as_none(void **state)
{
	(void)state;
	system_run(check_notes);
}

static void check_places(void)
{
	pid_t pid;
	int fd;

	runs_host();
	/* Nothing of another kind is opened for long, or followed. */
	CHECK(symlink("/etc/passwd", RUNS_DIR "/link") == 0 && mkfifo(RUNS_DIR "/fifo", 0666) == 0 && mkdir(RUNS_DIR "/dir", 0755) == 0);
	CHECK(look() == 0);
	fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	CHECK(flock(fd, LOCK_EX) == 0);
	CHECK(look() == 0);
	close(fd);
	CHECK(mkdir("/run/user", 0755) == 0 && mkdir("/run/user/65534", 0700) == 0 && mkdir("/run/user/65534/stockade", 0700) == 0 &&
		mkdir("/run/user/65534/stockade/runs", 0700) == 0);
	pid = runs_start("../../../../../../run/user/65534/stockade/runs/here.-", 0, "session=here\n");
	CHECK(look() == 1 && strcmp(items[0].session, "here") == 0);
	runs_end(pid);
	CHECK(rename("/run/user/65534/stockade/runs", "/run/elsewhere") == 0 && symlink("/run/elsewhere", "/run/user/65534/stockade/runs") == 0);
	pid = runs_start("../../../../../../run/elsewhere/here.-", 0, "session=here\n");
	CHECK(look() == 0);
	runs_end(pid);
}

static void both_places_of_runs_are_searched_and_no_link_is_followed(void **state)
{
	(void)state;
	system_run(check_places);
}

static void check_site(void)
{
	struct err err = { "" };

	runs_host();
	system_write("/etc/stockade/stockade.ini", "[nonsense]\na = b\n", 0644);
	CHECK(runs_each(keep, NULL, &err) == -EINVAL);
	CHECK(strstr(err.text, "stockade.ini:2"));
}

static void a_broken_site_file_is_an_error(void **state)
{
	(void)state;
	system_run(check_site);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_that_is_held_is_told_whole_and_a_dead_one_is_not),
		cmocka_unit_test(a_process_that_is_not_the_owners_or_not_the_same_is_none),
		cmocka_unit_test(words_that_are_missing_or_wrong_are_told_as_none),
		cmocka_unit_test(both_places_of_runs_are_searched_and_no_link_is_followed),
		cmocka_unit_test(a_broken_site_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

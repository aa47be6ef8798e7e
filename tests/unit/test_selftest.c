/* SPDX-License-Identifier: ISC */
/* The test from inside through the whole chain and the real bwrap, without systemd, so at grade partial. Root only. */
#include "selftest.h"

#include <dirent.h>

#include "private_system.h"

#define PARTIAL "[workspace]\npath = /srv/build\n[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n[tmp]\nfloor = -\n"

static struct account account;
static struct selftest selftest;

static void open_host(void)
{
	struct err err = { "" };

	system_host();
	if (mount("none", "/run", "tmpfs", 0, "mode=0755"))
		_exit(NO_SYSTEM);
	system_log();
	CHECK(account_by_name(&account, "nobody", &err) == 0);
}

static void run(void)
{
	struct err err = { "" };

	static const char *const programs[] = { "/bin/sh", "/usr/bin/no'such", "/etc/hostname", NULL };

	if (selftest_run(&selftest, &account, "/etc/stockade", programs, &err)) {
		fprintf(stderr, "%s\n", err.text);
		_exit(1);
	}
}

static const struct selftest_line *line_of(const char *name)
{
	for (size_t i = 0; i < selftest.len; i++)
		if (strcmp(selftest.lines[i].name, name) == 0)
			return &selftest.lines[i];
	fprintf(stderr, "no line %s (status %d, %s)\n", name, selftest.status, selftest.error);
	_exit(1);
}

/* The fence stands here, or the test has nothing to look at. */
static void run_inside(void)
{
	run();
	if (selftest.status == 125)
		_exit(NO_SYSTEM);
	CHECK(selftest.status == 0);
	CHECK(strcmp(selftest.grade, "partial") == 0);
	CHECK(strstr(selftest.lacks, "limits"));
}

/* How many names the workspace has, without "." and "..". */
static int count_left(void)
{
	DIR *dir = opendir("/srv/build");
	int count = -2;

	CHECK(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void check_inside(void)
{
	static const char *const names[] = { "workspace-is-cwd", "workspace-writable", "no-write-to-/", "no-write-to-/etc", "no-write-to-/usr", "private-tmp",
		"dev-null-writable", "no-host-process-signalled", "home-writable", "tmpdir", "no-new-privileges", "no-capabilities", "system-call-filter" };

	open_host();
	system_profile(PARTIAL);
	run_inside();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!line_of(names[i])->holds) {
			fprintf(stderr, "%s: %s\n", names[i], line_of(names[i])->said);
			_exit(1);
		}
	CHECK(count_left() == 0);
	CHECK(line_of("program:/bin/sh")->holds && !line_of("program:/usr/bin/no'such")->holds && !line_of("program:/etc/hostname")->holds);
}

static void the_fences_guarantees_hold_and_nothing_is_left(void **state)
{
	(void)state;
	system_run(check_inside);
}

static void check_path(void)
{
	open_host();
	system_profile(PARTIAL "[env]\npath = /nonexistent\n");
	run_inside();
	for (size_t i = 0; i < selftest.len; i++)
		CHECK(selftest.lines[i].holds || strncmp(selftest.lines[i].name, "program:", 8) == 0 || strstr(selftest.lines[i].name, "cgroup") ||
			strstr(selftest.lines[i].name, "-limit"));
}

static void a_path_without_programs_is_not_taken_for_a_broken_fence(void **state)
{
	(void)state;
	system_run(check_path);
}

static void check_rules(void)
{
	open_host();
	system_profile(PARTIAL "[allow]\nls = ls\n");
	run_inside();
	CHECK(line_of("workspace-is-cwd")->holds);
}

static void the_profiles_rules_do_not_keep_the_test_out(void **state)
{
	(void)state;
	system_run(check_rules);
}

static void check_read_only(void)
{
	open_host();
	system_profile(PARTIAL "[workspace]\naccess = read\n");
	run_inside();
	CHECK(line_of("workspace-is-cwd")->holds);
	for (size_t i = 0; i < selftest.len; i++)
		CHECK(strcmp(selftest.lines[i].name, "workspace-writable") != 0);
}

static void a_workspace_that_is_only_read_is_not_tried_by_writing(void **state)
{
	(void)state;
	system_run(check_read_only);
}

static void check_planted(void)
{
	open_host();
	system_profile(PARTIAL);
	CHECK(mkfifo("/srv/build/.stockade-probe", 0600) == 0 && chown("/srv/build/.stockade-probe", account.uid, account.gid) == 0);
	/* Else it would wait for a reader without end. */
	alarm(120);
	run_inside();
	CHECK(line_of("workspace-writable")->holds);
	CHECK(count_left() == 1);
}

static void no_file_of_the_accounts_holds_the_test_up(void **state)
{
	(void)state;
	system_run(check_planted);
}

/* A name can still be had there, and not a byte behind it. */
static void check_full(void)
{
	char page[4096] = "";
	int fd;

	open_host();
	system_profile(PARTIAL);
	CHECK(mount("none", "/srv/build", "tmpfs", 0, "size=4096,mode=0700") == 0 && chown("/srv/build", account.uid, account.gid) == 0);
	fd = open("/srv/build/full", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(write(fd, page, sizeof(page)) == sizeof(page));
	close(fd);
	run_inside();
	CHECK(!line_of("workspace-writable")->holds);
	CHECK(count_left() == 1);
}

static void a_full_workspace_is_not_writable(void **state)
{
	(void)state;
	system_run(check_full);
}

static void check_refused(void)
{
	open_host();
	run();
	CHECK(selftest.status == 126 && strcmp(selftest.grade, "refused") == 0 && selftest.len == 0);
	CHECK(strstr(selftest.error, "no profile for user nobody"));
	system_profile("[workspace]\npath = /srv/build\n");
	run();
	CHECK(selftest.status == 126 && strcmp(selftest.grade, "refused") == 0 && selftest.len == 0);
	CHECK(selftest.error[0] && !strchr(selftest.error, '\n'));
}

static void a_refusal_is_told_with_its_sentence(void **state)
{
	(void)state;
	system_run(check_refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fences_guarantees_hold_and_nothing_is_left),
		cmocka_unit_test(a_path_without_programs_is_not_taken_for_a_broken_fence),
		cmocka_unit_test(the_profiles_rules_do_not_keep_the_test_out),
		cmocka_unit_test(a_workspace_that_is_only_read_is_not_tried_by_writing),
		cmocka_unit_test(no_file_of_the_accounts_holds_the_test_up),
		cmocka_unit_test(a_full_workspace_is_not_writable),
		cmocka_unit_test(a_refusal_is_told_with_its_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

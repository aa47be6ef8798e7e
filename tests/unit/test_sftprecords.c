/* SPDX-License-Identifier: ISC */
#include "sftprecords.h"

#include "private_system.h"

static struct log to;
static struct sftprecords records;

static int begin(void)
{
	struct err err = { "" };
	int log_fd = system_log();

	CHECK(log_open(&to, &err) == 0);
	CHECK(sftprecords_open(&records, &to, "abcdefgh", &err) == 0);
	return log_fd;
}

static void put(const char *text)
{
	CHECK(write(records.lines.command_fd, text, strlen(text)) == (ssize_t)strlen(text));
	lines_move(&records.lines);
}

static void check_lines(void)
{
	int log_fd = begin(), ends[2], saved = dup(STDERR_FILENO);
	char said[64] = "";

	CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
	put("close \"/srv/a\" bytes read 0 written 7\nopendir \"/srv\"\nsomething else\nremove name");
	CHECK(dup2(saved, STDERR_FILENO) >= 0);
	CHECK(read(ends[0], said, sizeof(said) - 1) > 0);
	CHECK(strcmp(said, "something else\n") == 0);
	CHECK(strstr(system_record(log_fd), "sftp session=abcdefgh "));
	CHECK(!*system_record(log_fd));
	put(" \"/srv/b\"");
	sftprecords_close(&records);
	CHECK(strstr(system_record(log_fd), "/srv/b"));
	sftprecords_close(&records);
	CHECK(!*system_record(log_fd));
}

static void a_line_becomes_a_record_and_what_is_not_the_logs_goes_on(void **state)
{
	(void)state;
	system_run(check_lines);
}

static void check_many(void)
{
	int log_fd = begin();
	const char *last;

	for (int i = 0; i < SFTPRECORDS_MAX; i++) {
		put("remove name \"/srv/b\"\n");
		CHECK(*system_record(log_fd));
	}
	put("remove name \"/srv/b\"\nremove name \"/srv/b\"\n");
	CHECK(!*system_record(log_fd));
	sftprecords_close(&records);
	last = system_record(log_fd);
	CHECK(strstr(last, "op=dropped") && strstr(last, "count=2"));
	sftprecords_close(&records);
	CHECK(!*system_record(log_fd));
}

static void past_their_greatest_number_they_are_only_counted(void **state)
{
	(void)state;
	system_run(check_many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_becomes_a_record_and_what_is_not_the_logs_goes_on),
		cmocka_unit_test(past_their_greatest_number_they_are_only_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

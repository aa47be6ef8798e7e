/* SPDX-License-Identifier: ISC */
/*
 * The list of what ran, of a journalctl(1) that is the test's own script, mounted where the real one is. Root only; that
 * the real one knows these options is the system tests'.
 */
#include "last.h"

#include "private_command.h"

#define JOURNALCTL "/usr/bin/journalctl"

/* The JSON lines are what journalctl tells; the words it was called with are kept. */
static void journal_host(const char *lines, int status)
{
	char script[256];

	system_host();
	if (access(JOURNALCTL, F_OK) < 0)
		_exit(NO_SYSTEM);
	system_write("/mnt/lines", lines, 0644);
	snprintf(script, sizeof(script), "#!/bin/sh\necho \"$*\" >/mnt/words\ncat /mnt/lines\nexit %d\n", status);
	system_write("/mnt/journalctl", script, 0755);
	if (mount("/mnt/journalctl", JOURNALCTL, NULL, MS_BIND, NULL))
		_exit(NO_SYSTEM);
}

#define ENTRY(uid, exe, message) "{\"MESSAGE\":\"" message "\",\"_UID\":\"" uid "\",\"_EXE\":\"" exe "\",\"__REALTIME_TIMESTAMP\":\"1764425616000000\"}\n"
#define OURS(message) ENTRY("65534", STOCKADE_GATEWAY, message)

#define RUN \
	OURS("start session=aaaaaaaa user=nobody actor=alice from=192.0.2.7 kind=exec grade=full cmd=\\\"make -j8\\\"") \
	OURS("end session=aaaaaaaa user=nobody actor=alice by=payload exit=0 signal=- secs=1.50 cpu=0.25 peak=1M")

static void check_usage(void)
{
	journal_host("", 0);
	CHECK(RUN_COMMAND(last_main, "-n") == 2);
	CHECK(RUN_COMMAND(last_main, "-n", "ten") == 2);
	CHECK(RUN_COMMAND(last_main, "-n", "-1") == 2);
	CHECK(RUN_COMMAND(last_main, "-n", "1;reboot") == 2);
	CHECK(RUN_COMMAND(last_main, "-n", "10000001") == 2);
	CHECK(RUN_COMMAND(last_main, "--by", "user") == 2);
	CHECK(RUN_COMMAND(last_main, "--user") == 2);
	CHECK(RUN_COMMAND(last_main, "nobody") == 2);
	CHECK(RUN_COMMAND(last_main, "--nonsense", "x") == 2);
	CHECK(strstr(complained, "usage: ") && !shown[0]);
	CHECK(access("/mnt/words", F_OK) < 0);
}

static void wrong_usage_is_2_and_asks_no_journal(void **state)
{
	(void)state;
	system_run(check_usage);
}

static void check_asked(const char *expected)
{
	char words[256] = "";
	int fd = open("/mnt/words", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0 && read(fd, words, sizeof(words) - 1) > 0);
	close(fd);
	CHECK(strcmp(words, expected) == 0);
}

static void check_list(void)
{
	journal_host(RUN "not json\n" OURS("refuse session=bbbbbbbb user=nobody actor=- reason=rule stage=rule detail=\\\"no rule\\\"")
			OURS("sftp session=aaaaaaaa op=close bytes=12 path=/srv/a"),
		0);
	CHECK(command_run(last_main, (const char *const[]){ NULL }) == 0);
	check_asked("-q -t stockade -o json --no-pager -n 1000\n");
	CHECK(is_shown(" start  aaaaaaaa  nobody     alice    192.0.2.7              full    exec  make -j8 \n"));
	CHECK(is_shown(" end    aaaaaaaa  nobody     alice    payload    0    1.50     0.25     1M \n"));
	CHECK(is_shown(" refuse bbbbbbbb  nobody     -        rule       no rule \n"));
	CHECK(is_shown(" sftp   aaaaaaaa  -          -        close      12       /srv/a \n"));
	CHECK(!strstr(shown, "UNVERIFIED") && !strstr(shown, "json"));
	CHECK(RUN_COMMAND(last_main, "-n", "7") == 0);
	check_asked("-q -t stockade -o json --no-pager -n 7\n");
}

static void each_record_is_shown_with_its_words(void **state)
{
	(void)state;
	system_run(check_list);
}

static void check_forged(void)
{
	journal_host(ENTRY("65534", "/usr/bin/logger", "end session=x user=nobody actor=alice secs=1000 cpu=1000")
			ENTRY("1", STOCKADE_GATEWAY, "end session=y user=nobody actor=alice secs=1000 cpu=1000")
			ENTRY("65534", STOCKADE_GATEWAY, "end session=z user=root actor=alice secs=1000 cpu=1000")
			ENTRY("65534", STOCKADE_GATEWAY, "end session=w user=no-such-user actor=alice secs=1000 cpu=1000")
			"{\"MESSAGE\":\"sftp session=v op=close\",\"_EXE\":\"" STOCKADE_GATEWAY "\"}\n" RUN,
		0);
	CHECK(command_run(last_main, (const char *const[]){ NULL }) == 0);
	CHECK(is_shown("UNVERIFIED end session=x "));
	CHECK(is_shown("UNVERIFIED end session=y "));
	CHECK(is_shown("UNVERIFIED end session=z "));
	CHECK(is_shown("UNVERIFIED end session=w "));
	CHECK(is_shown("UNVERIFIED sftp session=v "));
	CHECK(is_shown(" end    aaaaaaaa "));
	CHECK(RUN_COMMAND(last_main, "--by", "actor") == 0);
	CHECK(is_shown("alice                       1        0         1.50         0.25\n"));
}

static void what_others_wrote_is_marked_and_counts_for_nothing(void **state)
{
	(void)state;
	system_run(check_forged);
}

static void check_totals(void)
{
	journal_host(RUN RUN OURS("refuse session=b user=nobody actor=bob reason=rule")
			ENTRY("0", STOCKADE_GATEWAY, "end session=c user=nobody actor=bob by=lost exit=- secs=2.00 cpu=1.00"),
		0);
	CHECK(RUN_COMMAND(last_main, "--by", "actor") == 0);
	CHECK(is_shown("ACTOR "));
	CHECK(is_shown("\nalice                       2        0         3.00         0.50\n"));
	CHECK(is_shown("\nbob                         1        1         2.00         1.00\n"));
	CHECK(!strstr(shown, "session") && !strstr(shown, "aaaaaaaa"));
}

static void runs_refusals_and_times_are_added_up_by_actor(void **state)
{
	(void)state;
	system_run(check_totals);
}

static void check_filter(void)
{
	journal_host(RUN OURS("refuse session=b user=nobody actor=bob reason=rule detail=\\\"x actor=alice user=root\\\""), 0);
	CHECK(RUN_COMMAND(last_main, "--actor", "alice") == 0);
	CHECK(is_shown(" aaaaaaaa ") && !strstr(shown, " bob "));
	CHECK(RUN_COMMAND(last_main, "--actor", "bob", "--user", "nobody") == 0);
	CHECK(is_shown(" bob ") && !strstr(shown, "aaaaaaaa"));
	CHECK(RUN_COMMAND(last_main, "--user", "root") == 0);
	CHECK(!shown[0]);
}

static void user_and_actor_choose_by_the_records_own_words(void **state)
{
	(void)state;
	system_run(check_filter);
}

static void check_controls(void)
{
	journal_host(OURS("start session=a user=nobody actor=- from=- kind=exec grade=full cmd=\\\"\\u001b[2J \\u0007 \\r\\\"")
			ENTRY("7", "/bin/x", "\\u001b[2J\\nforged line"),
		0);
	CHECK(command_run(last_main, (const char *const[]){ NULL }) == 0);
	for (const char *at = shown; *at; at++)
		CHECK(*at == '\n' || ((unsigned char)*at >= ' ' && (unsigned char)*at < 0x7f));
	CHECK(!strstr(shown, "\nforged"));
}

static void no_control_byte_of_a_record_reaches_the_terminal(void **state)
{
	(void)state;
	system_run(check_controls);
}

static void check_failure(void)
{
	journal_host(RUN, 3);
	CHECK(command_run(last_main, (const char *const[]){ NULL }) == 1);
	CHECK(strstr(complained, "journalctl ended with status"));
}

static void a_journal_that_cannot_be_read_is_1(void **state)
{
	(void)state;
	system_run(check_failure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_usage_is_2_and_asks_no_journal),
		cmocka_unit_test(each_record_is_shown_with_its_words),
		cmocka_unit_test(what_others_wrote_is_marked_and_counts_for_nothing),
		cmocka_unit_test(runs_refusals_and_times_are_added_up_by_actor),
		cmocka_unit_test(user_and_actor_choose_by_the_records_own_words),
		cmocka_unit_test(no_control_byte_of_a_record_reaches_the_terminal),
		cmocka_unit_test(a_journal_that_cannot_be_read_is_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "log.h"

#include <syslog.h>
#include <time.h>

#include "private_system.h"
#include "record.h"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check_form(void)
{
	int fd = system_log(), pri, pid, day, hour, minute, second;
	struct log log = LOG_INIT;
	struct err err = { "" };
	char month[8], event[64];

	CHECK(log_open(&log, &err) == 0);
	CHECK(fcntl(log.fd, F_GETFD) & FD_CLOEXEC);
	CHECK(log_send(&log, "start session=k3v9q2m7", &err) == 0);
	CHECK(sscanf(system_record(fd), "<%d>%3s %d %d:%d:%d stockade[%d]: %63[^\n]", &pri, month, &day, &hour, &minute, &second, &pid, event) == 8);
	CHECK(pri == (LOG_AUTHPRIV | LOG_INFO));
	CHECK(strstr("JanFebMarAprMayJunJulAugSepOctNovDec", month));
	CHECK(day >= 1 && day <= 31 && hour < 24 && minute < 60 && second <= 60);
	CHECK(pid == getpid());
	CHECK(strcmp(event, "start session=k3v9q2m7") == 0);
	log_close(&log);
	CHECK(log.fd == -1);
}

static void a_record_arrives_as_authpriv_info_of_stockade(void **state)
{
	(void)state;
	system_run(check_form);
}

static void check_absent(void)
{
	struct log log = LOG_INIT;
	struct err err = { "" };

	CHECK(log_open(&log, &err) == -ENOENT);
	CHECK(strstr(err.text, "/dev/log: "));
	CHECK(log.fd == -1);
	CHECK(log_send(&log, "start", &err) < 0);
	CHECK(err.text[0]);
	CHECK(log.fd == -1);
}

static void without_a_socket_nothing_counts_as_sent(void **state)
{
	(void)state;
	system_run(check_absent);
}

static void check_unopened(void)
{
	int fd = system_log();
	struct log log = LOG_INIT;
	struct err err = { "" };

	CHECK(log_send(&log, "start a", &err) == 0);
	CHECK(strstr(system_record(fd), ": start a"));
	/* The daemon is restarted: same path, new socket. */
	close(fd);
	fd = system_log();
	CHECK(log_send(&log, "start b", &err) == 0);
	CHECK(strstr(system_record(fd), ": start b"));
	CHECK(!system_record(fd)[0]);
	/* It is gone for good. */
	close(fd);
	CHECK(log_send(&log, "start c", &err) < 0);
	CHECK(err.text[0]);
	log_close(&log);
}

static void a_restarted_daemon_gets_the_record_once_and_a_dead_one_is_an_error(void **state)
{
	(void)state;
	system_run(check_unopened);
}

static void check_full(void)
{
	int fd = system_log(), sent = 0;
	struct log log = LOG_INIT;
	struct err err = { "" };
	double begin;

	CHECK(log_open(&log, &err) == 0);
	while (sent < 100000 && send(log.fd, "x", 1, MSG_DONTWAIT) == 1)
		sent++;
	CHECK(sent < 100000);
	begin = now();
	CHECK(log_send(&log, "start", &err) < 0);
	CHECK(err.text[0]);
	CHECK(now() - begin > 2 && now() - begin < 20);
	/* Room again: taken at once. */
	while (system_record(fd)[0])
		;
	CHECK(log_send(&log, "start", &err) == 0);
	CHECK(strstr(system_record(fd), ": start"));
	log_close(&log);
}

static void a_daemon_that_does_not_read_is_an_error_after_seconds(void **state)
{
	(void)state;
	system_run(check_full);
}

static void check_long(void)
{
	int fd = system_log();
	struct log log = LOG_INIT;
	struct err err = { "" };
	char text[4000];
	const char *got;

	memset(text, 'a', sizeof(text));
	text[RECORD_MAX] = '\0';
	CHECK(log_send(&log, text, &err) == 0);
	got = system_record(fd);
	CHECK(strlen(got) > RECORD_MAX && strcmp(got + strlen(got) - RECORD_MAX, text) == 0);
	text[RECORD_MAX] = 'a';
	text[sizeof(text) - 1] = '\0';
	CHECK(log_send(&log, text, &err) == -EMSGSIZE);
	CHECK(!system_record(fd)[0]);
	log_close(&log);
}

static void the_longest_record_is_sent_whole_and_a_longer_one_not_at_all(void **state)
{
	(void)state;
	system_run(check_long);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_arrives_as_authpriv_info_of_stockade),
		cmocka_unit_test(without_a_socket_nothing_counts_as_sent),
		cmocka_unit_test(a_restarted_daemon_gets_the_record_once_and_a_dead_one_is_an_error),
		cmocka_unit_test(a_daemon_that_does_not_read_is_an_error_after_seconds),
		cmocka_unit_test(the_longest_record_is_sent_whole_and_a_longer_one_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

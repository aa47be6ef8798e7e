/* SPDX-License-Identifier: ISC */
/* The records' order and forms are golden tests; here what their cases do not hold. */
#include "report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct decision *refused(void)
{
	struct decision *decision = calloc(1, sizeof(*decision));

	assert_non_null(decision);
	strcpy(decision->request.from, "192.0.2.7:1");
	plan_refuse(&decision->plan, REASON_RULE, "rules", "no");
	return decision;
}

static void names_the_connection_only_where_there_is_one(void **state)
{
	struct decision *decision = refused();
	struct record record;

	(void)state;
	report_refuse(&record, decision, "abcdefgh", "");
	assert_null(strstr(record.text, "conn="));
	report_refuse(&record, decision, "abcdefgh", "k3v9q2m7");
	assert_non_null(strstr(record.text, " conn=k3v9q2m7 "));
	free(decision);
}

static void a_refusal_before_the_account_is_known_has_no_holes(void **state)
{
	struct decision *decision = refused();
	struct record record;

	(void)state;
	report_refuse(&record, decision, "", "");
	assert_string_equal(record.text, "refuse session=- user=- actor=- key=- from=192.0.2.7:1 kind=exec reason=rule stage=rules detail=no cmd=\"\"");
	free(decision);
}

static void a_long_command_is_cut_and_has_its_digest(void **state)
{
	struct decision *decision = refused();
	char *command = malloc(5001);
	struct record record;

	(void)state;
	memset(command, 'a', 5000);
	command[5000] = '\0';
	decision->request.text = command;
	report_refuse(&record, decision, "abcdefgh", "");
	assert_true(record.len <= RECORD_MAX);
	/* printf %5000s | tr ' ' a | sha256sum */
	assert_non_null(strstr(record.text, " cmd_sha256="));
	assert_non_null(strstr(record.text, " cmd=aaaa"));
	free(command);
	free(decision);
}

static void sftp_bytes_have_a_way(void **state)
{
	struct sftplog_line line = { .op = "close", .path = "/w/a b", .read = 5 };
	struct record record;

	(void)state;
	report_sftp(&record, "abcdefgh", &line);
	assert_string_equal(record.text, "sftp session=abcdefgh op=close path=\"/w/a b\" bytes=5 way=out");
	line = (struct sftplog_line){ .op = "close", .path = "/w/a", .written = 7 };
	report_sftp(&record, "abcdefgh", &line);
	assert_string_equal(record.text, "sftp session=abcdefgh op=close path=/w/a bytes=7 way=in");
	line = (struct sftplog_line){ .op = "rename", .path = "/w/a", .to = "/w/b" };
	report_sftp(&record, "abcdefgh", &line);
	assert_string_equal(record.text, "sftp session=abcdefgh op=rename path=/w/a to=/w/b");
}

static void an_ordinary_end_is_not_explained(void **state)
{
	struct decision *decision = refused();
	const struct outcome outcome = { .by = BY_PAYLOAD, .exit = 2 };
	const struct report_run run = { .oom_kills = 0 };
	char sentence[128];

	(void)state;
	assert_false(report_sentence(sentence, sizeof(sentence), decision, &outcome, &run, ""));
	assert_true(report_sentence(sentence, sizeof(sentence), decision, &outcome, &run, "it ran too long"));
	assert_string_equal(sentence, "the command was ended: it ran too long");
	free(decision);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_connection_only_where_there_is_one),
		cmocka_unit_test(a_refusal_before_the_account_is_known_has_no_holes),
		cmocka_unit_test(a_long_command_is_cut_and_has_its_digest),
		cmocka_unit_test(sftp_bytes_have_a_way),
		cmocka_unit_test(an_ordinary_end_is_not_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

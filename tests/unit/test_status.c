/* SPDX-License-Identifier: ISC */
#include "status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What bwrap 0.8 to 0.11 write, with the fields of the namespaces that are not read. */
#define CHILD "{ \"child-pid\": 1234, \"cgroup-namespace\": 4026531835, \"ipc-namespace\": 4026532177 }\n"
#define EXIT "{ \"exit-code\": 42 }\n"

static struct status feed(const char *text)
{
	struct status status = { .len = 0 };

	status_feed(&status, text, strlen(text));
	return status;
}

static void child_and_exit_code_are_read_from_bwraps_documents(void **state)
{
	struct status status = feed(CHILD);

	(void)state;
	assert_int_equal(status.child_pid, 1234);
	assert_false(status.has_exit_code);
	assert_false(status.is_broken);
	status_feed(&status, EXIT, strlen(EXIT));
	assert_true(status.has_exit_code);
	assert_int_equal(status.exit_code, 42);
	assert_false(status.is_broken);
}

static void the_network_namespace_is_read_once(void **state)
{
	struct status status = feed("{ \"child-pid\": 5, \"net-namespace\": 4026532310 }");

	(void)state;
	assert_true(status.net_namespace == 4026532310ul);
	assert_false(status.is_broken);
	status_feed(&status, "{ \"net-namespace\": 4026532311 }", 33);
	assert_true(status.is_broken);
	status = feed("{ \"child-pid\": 5, \"net-namespace\": 0 }");
	assert_true(status.is_broken);
}

static void documents_arrive_in_pieces_of_any_size(void **state)
{
	static const char text[] = CHILD EXIT;

	(void)state;
	for (size_t step = 1; step < sizeof(text); step++) {
		struct status status = { .len = 0 };

		for (size_t at = 0; at < strlen(text); at += step)
			status_feed(&status, text + at, at + step > strlen(text) ? strlen(text) - at : step);
		if (status.is_broken || status.child_pid != 1234 || !status.has_exit_code || status.exit_code != 42)
			fail_msg("in pieces of %zu", step);
	}
}

static void no_part_of_the_documents_counts_as_an_exit(void **state)
{
	static const char text[] = CHILD EXIT;
	size_t whole = strlen(CHILD) + strlen("{ \"exit-code\": 42 }");

	(void)state;
	for (size_t len = 0; len < strlen(text); len++) {
		struct status status = { .len = 0 };

		status_feed(&status, text, len);
		assert_false(status.is_broken);
		assert_int_equal(status.has_exit_code, len >= whole);
	}
}

static void anything_else_is_broken_and_nothing_of_it_believed(void **state)
{
	static const char *const texts[] = {
		"garbage\n", "[1]\n", "\"child-pid\"\n", "{ \"child-pid\": \"1234\" }\n", "{ \"child-pid\": 1 }\n", "{ \"child-pid\": 0 }\n",
		"{ \"child-pid\": -5 }\n", "{ \"child-pid\": 1234.5 }\n", "{ \"child-pid\": 2147483648 }\n", "{ \"child-pid\": 99999999999999999999 }\n",
		"{ \"child-pid\": null }\n", "{ \"child-pid\": true }\n", EXIT, CHILD CHILD, CHILD EXIT EXIT, CHILD "{ \"exit-code\": 256 }\n",
		CHILD "{ \"exit-code\": -1 }\n", CHILD "{ \"exit-code\": \"0\" }\n", CHILD "bwrap: error\n", "}\n", "{ ]\n", CHILD "{ \"exit-code\": 0.0 }",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct status status = feed(texts[i]);

		if (!status.is_broken)
			fail_msg("believed: %s", texts[i]);
		/* Broken stays broken, whatever follows. */
		status_feed(&status, CHILD EXIT, strlen(CHILD EXIT));
		assert_true(status.is_broken);
	}
}

static void an_exit_code_before_or_beside_something_broken_is_none(void **state)
{
	struct status status = feed(EXIT);

	(void)state;
	assert_false(status.has_exit_code);
	status = feed(CHILD "{ \"exit-code\": 300 }\n");
	assert_false(status.has_exit_code);
	status = feed("{ \"child-pid\": \"x\", \"exit-code\": 0 }\n");
	assert_false(status.has_exit_code);
}

static void documents_with_other_keys_only_are_passed_over(void **state)
{
	struct status status = feed("{ \"x\": 1 }\n\n \t{}\n" CHILD "{ \"y\": { \"exit-code\": 7 } }\n" EXIT "\n");

	(void)state;
	assert_false(status.is_broken);
	assert_int_equal(status.child_pid, 1234);
	assert_int_equal(status.exit_code, 42);
}

static void a_nul_byte_is_broken(void **state)
{
	struct status status = { .len = 0 };

	(void)state;
	status_feed(&status, "{ \"child-pid\": 5 }\0", 19);
	assert_true(status.is_broken);
}

static void a_comment_is_broken(void **state)
{
	static const char text[] = "{ \"child-pid\": 5 } // { \"exit-code\": 0 }\n";
	struct status status = { .len = 0 };

	(void)state;
	status_feed(&status, text, strlen(text));
	assert_true(status.is_broken);
}

static void an_endless_document_is_broken_and_does_not_overflow(void **state)
{
	struct status status = { .len = 0 };
	char piece[1000];

	(void)state;
	memset(piece, ' ', sizeof(piece));
	status_feed(&status, "{", 1);
	for (int i = 0; i < 10 && !status.is_broken; i++) {
		status_feed(&status, piece, sizeof(piece));
		assert_true(status.len <= sizeof(status.pending));
	}
	assert_true(status.is_broken);
}

static void a_document_as_large_as_the_room_is_read(void **state)
{
	struct status status = { .len = 0 };
	char text[sizeof(status.pending)];

	(void)state;
	memset(text, ' ', sizeof(text));
	text[0] = '{';
	memcpy(text + sizeof(text) - 18, "\"child-pid\": 1234}", 18);
	status_feed(&status, text, sizeof(text));
	assert_false(status.is_broken);
	assert_int_equal(status.child_pid, 1234);
	status_feed(&status, EXIT, strlen(EXIT));
	assert_int_equal(status.exit_code, 42);
}

static void random_bytes_never_crash_and_never_give_an_exit_alone(void **state)
{
	static const char letters[] = "{}[]\":, \n0123456789-.eEchild-pidexit-code\\u";

	(void)state;
	srandom(7);
	for (int round = 0; round < 20000; round++) {
		struct status status = { .len = 0 };
		char text[64];
		size_t len = (size_t)random() % sizeof(text);

		for (size_t i = 0; i < len; i++)
			text[i] = letters[(size_t)random() % (sizeof(letters) - 1)];
		status_feed(&status, text, len);
		assert_false(status.has_exit_code && !status.child_pid);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_and_exit_code_are_read_from_bwraps_documents),
		cmocka_unit_test(the_network_namespace_is_read_once),
		cmocka_unit_test(documents_arrive_in_pieces_of_any_size),
		cmocka_unit_test(no_part_of_the_documents_counts_as_an_exit),
		cmocka_unit_test(anything_else_is_broken_and_nothing_of_it_believed),
		cmocka_unit_test(an_exit_code_before_or_beside_something_broken_is_none),
		cmocka_unit_test(documents_with_other_keys_only_are_passed_over),
		cmocka_unit_test(a_nul_byte_is_broken),
		cmocka_unit_test(a_comment_is_broken),
		cmocka_unit_test(an_endless_document_is_broken_and_does_not_overflow),
		cmocka_unit_test(a_document_as_large_as_the_room_is_read),
		cmocka_unit_test(random_bytes_never_crash_and_never_give_an_exit_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "tell.h"

#include "temp.h"

static void what_is_read_arrives_whole(void **state)
{
	char text[64] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	tell(ends[1], "a line\n", 1000);
	assert_int_equal(read(ends[0], text, sizeof(text) - 1), 7);
	assert_string_equal(text, "a line\n");
	assert_false(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
	close(ends[0]);
	close(ends[1]);
}

/* Ends at all: a blocking write would wait for ever. */
static void a_reader_that_does_not_read_is_not_waited_for(void **state)
{
	char page[4096] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	while (write(ends[1], page, sizeof(page)) > 0)
		;
	assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
	alarm(60);
	tell(ends[1], "a line\n", 10);
	alarm(0);
	assert_false(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
	close(ends[0]);
	close(ends[1]);
}


int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_arrives_whole),
		cmocka_unit_test(a_reader_that_does_not_read_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "attempt.h"

#include "temp.h"

static void namespaces(char *text, size_t size)
{
	static const char *const names[] = { "user", "mnt", "pid", "net", "ipc", "uts", "cgroup" };

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[64], target[64] = "";

		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		if (readlink(path, target, sizeof(target) - 1) > 0)
			strncat(text, target, size - strlen(text) - 1);
	}
}

static void each_facet_but_limits_is_tried_once_and_the_base_first(void **state)
{
	struct attempt attempts[ATTEMPTS_MAX];
	size_t count = attempt_all(attempts);
	unsigned seen = 0;

	(void)state;
	assert_int_equal(count, 5);
	assert_int_equal(attempts[0].facet, 0);
	for (size_t i = 1; i < count; i++) {
		assert_false(seen & attempts[i].facet);
		seen |= attempts[i].facet;
	}
	assert_int_equal(seen, FACETS_ALL & ~(unsigned)FACET_LIMITS);
	for (size_t i = 0; i < count; i++) {
		assert_true(attempts[i].errnum >= 0);
		assert_true(attempts[i].how && attempts[i].how[0]);
	}
}

static void nothing_is_left_of_an_attempt(void **state)
{
	struct attempt attempts[ATTEMPTS_MAX];
	char before[512], after[512];
	int fd, next;

	(void)state;
	namespaces(before, sizeof(before));
	fd = dup(STDOUT_FILENO);
	close(fd);
	attempt_all(attempts);
	next = dup(STDOUT_FILENO);
	close(next);
	namespaces(after, sizeof(after));
	assert_string_equal(before, after);
	assert_int_equal(fd, next);
	assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

static void where_user_namespaces_work_the_base_does(void **state)
{
	struct attempt attempts[ATTEMPTS_MAX];

	(void)state;
	if (system("exec unshare --user --map-root-user --mount --net --ipc --uts true 2>/dev/null") != 0)
		temp_skip("no user namespaces here");
	attempt_all(attempts);
	assert_int_equal(attempts[0].errnum, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_facet_but_limits_is_tried_once_and_the_base_first),
		cmocka_unit_test(nothing_is_left_of_an_attempt),
		cmocka_unit_test(where_user_namespaces_work_the_base_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

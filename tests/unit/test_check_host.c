/* SPDX-License-Identifier: ISC */
/* What lies on the host; its grade and the real run are tested on one. */
#include "check.h"

#include "check_fixture.h"

static void a_daemon_is_named_where_the_whole_host_is_shown(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	temp_dir(temp, "run");
	temp_file(temp, "run/docker.sock", "", 0666);
	check_open(&check, temp);
	check_profile_text(&check, FIXTURE_WORKSPACE "[view]\nroot = host\n");
	check_disk(&check);
	assert_string_equal(check_found(&check, CHECK_DAEMON_SOCKET)->cure, "sed -i '4c\\root = minimal' /etc/stockade/profiles/build.ini");
	check_release(&check);
	check_open(&check, temp);
	check_profile_text(&check, FIXTURE_WORKSPACE);
	check_disk(&check);
	assert_int_equal(check.len, 0);
	check_release(&check);
}

static void a_floor_keeps_room_for_the_log(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	temp_dir(temp, "var/log");
	temp_dir(temp, "var/lib/stockade/tmp");
	temp_dir(temp, "srv/build");
	check_open(&check, temp);
	check_profile_text(&check, FIXTURE_WORKSPACE "[tmp]\nfloor = -\n");
	check_disk(&check);
	assert_string_equal(check_found(&check, CHECK_DISK_SHARED_WITH_LOG)->cure, "sed -i '4c\\floor = 5%' /etc/stockade/profiles/build.ini");
	check_release(&check);
	check_open(&check, temp);
	check_profile_text(&check, FIXTURE_WORKSPACE);
	check_disk(&check);
	assert_int_equal(check.len, 0);
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(a_daemon_is_named_where_the_whole_host_is_shown),
		temp_test(a_floor_keeps_room_for_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

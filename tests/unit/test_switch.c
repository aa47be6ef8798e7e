/* SPDX-License-Identifier: ISC */
/* An /etc/stockade of the test's own, by root. What the gateway does with "enabled" is test_serve's. */
#include "switch.h"

#include "private_command.h"

#define PROFILE "/etc/stockade/profiles/nobody.ini"
#define ACTOR "/etc/stockade/profiles/nobody.d/alice.ini"
#define TEXT "# mine\n[workspace]\npath = /srv/build  \n[profile]\n; of the grade\nmin_grade = partial\n"

static bool reads(const char *path, const char *expected)
{
	char text[4096] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (len >= 0 && strcmp(text, expected) == 0)
		return true;
	fprintf(stderr, "%s: %s\n", path, text);
	return false;
}

static void check_usage(void)
{
	system_host();
	system_profile(TEXT);
	CHECK(command_run(disable_main, (const char *const[]){ NULL }) == 2);
	CHECK(RUN_COMMAND(disable_main, "nobody", "other") == 2);
	CHECK(RUN_COMMAND(disable_main, "nobody", "--actor") == 2);
	CHECK(RUN_COMMAND(disable_main, "nobody", "--message") == 2);
	CHECK(RUN_COMMAND(disable_main, "--actor", "alice") == 2);
	CHECK(RUN_COMMAND(disable_main, "nobody", "--actor", "../nobody") == 2);
	CHECK(RUN_COMMAND(disable_main, "../nobody") == 2);
	CHECK(RUN_COMMAND(disable_main, "") == 2);
	CHECK(strstr(complained, "usage: stockade disable "));
	CHECK(RUN_COMMAND(enable_main, "nobody", "--message", "x") == 2);
	CHECK(strstr(complained, "usage: stockade enable "));
	CHECK(reads(PROFILE, TEXT));
}

static void wrong_usage_is_2_and_changes_nothing(void **state)
{
	(void)state;
	system_run(check_usage);
}

static void check_account(void)
{
	struct stat st;

	system_host();
	system_profile(TEXT);
	CHECK(RUN_COMMAND(disable_main, "nobody") == 0);
	CHECK(is_shown(PROFILE ": nobody is disabled from the next request on\n"));
	CHECK(reads(PROFILE, "# mine\n[workspace]\npath = /srv/build  \n[profile]\nenabled = no\n; of the grade\nmin_grade = partial\n"));
	CHECK(stat(PROFILE, &st) == 0 && st.st_uid == 0 && (st.st_mode & 07777) == 0644);
	CHECK(RUN_COMMAND(disable_main, "nobody", "--message", "until Monday; ask #ops") == 0);
	CHECK(reads(PROFILE, "# mine\n[workspace]\npath = /srv/build  \n[profile]\nmessage = \"until Monday; ask #ops\"\nenabled = no\n; of the grade\nmin_grade = partial\n"));
	CHECK(RUN_COMMAND(disable_main, "nobody", "--message", "until Monday; ask #ops") == 0);
	CHECK(RUN_COMMAND(enable_main, "nobody") == 0);
	CHECK(reads(PROFILE, TEXT));
	CHECK(RUN_COMMAND(enable_main, "nobody") == 0);
	CHECK(reads(PROFILE, TEXT));
	CHECK(access(PROFILE ".new", F_OK) < 0);
}

static void an_account_is_switched_off_and_on_without_another_byte_changed(void **state)
{
	(void)state;
	system_run(check_account);
}

static void check_actor(void)
{
	system_host();
	system_profile(TEXT);
	CHECK(RUN_COMMAND(disable_main, "nobody", "--actor", "alice", "--message", "left") == 0);
	CHECK(is_shown(ACTOR ": nobody's actor alice is disabled"));
	CHECK(reads(ACTOR, "[profile]\nmessage = left\nenabled = no\n"));
	CHECK(reads(PROFILE, TEXT));
	CHECK(RUN_COMMAND(enable_main, "nobody", "--actor", "alice") == 0);
	CHECK(reads(ACTOR, "[profile]\n"));
}

static void an_actor_is_switched_in_a_file_of_its_own(void **state)
{
	(void)state;
	system_run(check_actor);
}

static void check_message(void)
{
	system_host();
	system_profile(TEXT);
	CHECK(RUN_COMMAND(disable_main, "nobody", "--message", "a\n[allow]\nall = *") == 1);
	CHECK(RUN_COMMAND(disable_main, "nobody", "--message", "say \"no\"") == 1);
	CHECK(RUN_COMMAND(disable_main, "nobody", "--message", "") == 1);
	CHECK(strstr(complained, "stockade: message: ") && !shown[0]);
	CHECK(reads(PROFILE, TEXT));
}

static void a_message_that_cannot_be_one_line_changes_nothing(void **state)
{
	(void)state;
	system_run(check_message);
}

static void check_group(void)
{
	system_host();
	CHECK(RUN_COMMAND(disable_main, "nobody") == 1);
	CHECK(strstr(complained, "no profile for user nobody"));
	CHECK(RUN_COMMAND(disable_main, "no-such-user") == 1);
	system_write("/etc/stockade/profiles/@nogroup.ini", TEXT, 0644);
	CHECK(RUN_COMMAND(disable_main, "nobody") == 1);
	CHECK(strstr(complained, "shared by a group"));
	CHECK(reads("/etc/stockade/profiles/@nogroup.ini", TEXT));
	CHECK(RUN_COMMAND(disable_main, "nobody", "--actor", "alice") == 0);
	CHECK(reads(ACTOR, "[profile]\nenabled = no\n"));
}

static void a_groups_file_is_not_switched_for_one_account(void **state)
{
	(void)state;
	system_run(check_group);
}

static void check_refused(void)
{
	static const char broken[] = "[workspace]\npath = /srv/build\n[nonsense]\na = b\n";

	system_host();
	system_profile(broken);
	CHECK(RUN_COMMAND(disable_main, "nobody") == 1);
	CHECK(reads(PROFILE, broken));
	system_profile(TEXT);
	CHECK(chmod(PROFILE, 0666) == 0);
	CHECK(RUN_COMMAND(disable_main, "nobody") == 1);
	CHECK(reads(PROFILE, TEXT));
	CHECK(chmod(PROFILE, 0644) == 0);
	/* Somebody else's change under way. */
	system_write(PROFILE ".new", "theirs", 0644);
	CHECK(RUN_COMMAND(disable_main, "nobody") == 1);
	CHECK(reads(PROFILE, TEXT) && reads(PROFILE ".new", "theirs"));
}

static void a_file_that_the_gateway_refuses_is_neither_read_nor_written(void **state)
{
	(void)state;
	system_run(check_refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_usage_is_2_and_changes_nothing),
		cmocka_unit_test(an_account_is_switched_off_and_on_without_another_byte_changed),
		cmocka_unit_test(an_actor_is_switched_in_a_file_of_its_own),
		cmocka_unit_test(a_message_that_cannot_be_one_line_changes_nothing),
		cmocka_unit_test(a_groups_file_is_not_switched_for_one_account),
		cmocka_unit_test(a_file_that_the_gateway_refuses_is_neither_read_nor_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

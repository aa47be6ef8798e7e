/* SPDX-License-Identifier: ISC */
/* What opens, and who is let in. libpam itself is tests/pam's, a real sshd the system tests'. */
#include "hook.h"

#include <sys/inotify.h>

#include "private_hook.h"

static void check_strangers(void)
{
	static const char *const phases[] = { "account", "open", "close" };
	int log_fd = open_host();

	for (size_t i = 0; i < 3; i++) {
		CHECK(run(phases[i], "nobody", "sshd") == 0);
		CHECK(run(phases[i], "nobody", "cron") == 0);
		CHECK(run(phases[i], "root", "sshd") == 0);
		CHECK(run(phases[i], "no-such-user", "sshd") == 0);
		CHECK(run(phases[i], NULL, "sshd") == 0);
		CHECK(run(phases[i], "", "sshd") == 0);
	}
	CHECK(!system_record(log_fd)[0]);
	CHECK(access("/run/stockade", F_OK) < 0);
}

static void who_has_no_profile_is_let_in_and_nothing_is_made(void **state)
{
	(void)state;
	system_run(check_strangers);
}

static void check_unknown(void)
{
	open_host();
	system_profile(PROFILE);
	CHECK(run("", "nobody", "sshd") == 125);
	CHECK(run("auth", "nobody", "sshd") == 125);
	CHECK(run("OPEN", "nobody", "sshd") == 125);
	CHECK(access("/run/stockade", F_OK) < 0);
}

static void an_unknown_phase_fails(void **state)
{
	(void)state;
	system_run(check_unknown);
}

static void check_refused(int log_fd, const char *service, const char *part)
{
	const char *record;

	CHECK(run("account", "nobody", service) == 126);
	record = system_record(log_fd);
	if (!strstr(record, ": refuse session=") || !strstr(record, " user=nobody ") || !strstr(record, part)) {
		fprintf(stderr, "no %s in: %s\n", part, record);
		_exit(1);
	}
	CHECK(!system_record(log_fd)[0]);
}

static void check_account(void)
{
	int log_fd = open_host();

	system_profile(PROFILE);
	CHECK(run("account", "nobody", "sshd") == 0);
	CHECK(run("account", "nobody", NULL) == 0);
	CHECK(!system_record(log_fd)[0]);
	check_refused(log_fd, "cron", "reason=request stage=account");
	check_refused(log_fd, "crond", "reason=request stage=account");
	check_refused(log_fd, "atd", "reason=request stage=account");
	system_profile(PROFILE "[profile]\nenabled = no\n");
	check_refused(log_fd, "sshd", "reason=disabled");
	system_profile(PROFILE "[nonsense]\na = b\n");
	check_refused(log_fd, "sshd", "nobody.ini:4: [nonsense] a: ");
	system_profile(PROFILE);
	CHECK(chmod("/etc/stockade/profiles/nobody.ini", 0666) == 0);
	check_refused(log_fd, "sshd", "reason=profile");
}

static void jobs_disabled_accounts_and_broken_profiles_are_refused_with_a_record(void **state)
{
	(void)state;
	system_run(check_account);
}

static void check_connection(void)
{
	static struct connection connection;
	char path[128], first[64];
	struct stat st;
	int log_fd = open_host();

	CHECK(rmdir("/var/lib/stockade/tmp/nobody") == 0);
	system_profile(PROFILE);
	CHECK(run("open", "nobody", "sshd") == 0);
	CHECK(count_records(&connection) == 1);
	CHECK(connection.pid == getpid());
	CHECK(strcmp(connection.from, "192.0.2.7") == 0);
	CHECK(strcmp(connection.auth, "publickey x y\n") == 0);
	snprintf(path, sizeof(path), "/var/lib/stockade/tmp/nobody/%s", connection.id);
	CHECK(stat(path, &st) == 0 && st.st_uid == SYSTEM_USER && (st.st_mode & 07777) == 0700);
	CHECK(stat("/var/lib/stockade/tmp/nobody", &st) == 0 && st.st_uid == SYSTEM_USER && (st.st_mode & 07777) == 0700);
	snprintf(first, sizeof(first), "%s", connection.id);
	CHECK(run("open", "nobody", "sshd") == 0);
	CHECK(count_records(&connection) == 2);
	CHECK(is_there(first));
	CHECK(run("close", "nobody", "sshd") == 0);
	CHECK(count_records(&connection) == 0);
	CHECK(!is_there(first) && !is_there(last_id));
	CHECK(!system_record(log_fd)[0]);
}

static void a_connection_gets_its_directory_and_record_and_close_takes_both(void **state)
{
	(void)state;
	system_run(check_connection);
}

static void check_newline(void)
{
	static struct connection connection;
	const struct hook_input input = { .phase = "open", .user = "nobody", .service = "sshd", .host = "host\nauth=publickey forged key" };

	open_host();
	system_profile(PROFILE);
	CHECK(run_phase(&input) == 0);
	CHECK(count_records(&connection) == 1);
	CHECK(strcmp(connection.from, "host") == 0);
	CHECK(!connection.auth[0]);
}

static void a_host_of_two_lines_forges_no_line_of_the_record(void **state)
{
	(void)state;
	system_run(check_newline);
}

static void check_broken_session(void)
{
	static struct connection connection;
	int log_fd = open_host();

	system_profile(PROFILE "[nonsense]\na = b\n");
	CHECK(run("open", "nobody", "sshd") == 0);
	CHECK(run("close", "nobody", "sshd") == 0);
	CHECK(count_records(&connection) == 0);
	system_profile(PROFILE);
	CHECK(chmod("/var/lib/stockade/tmp/nobody", 0) == 0 && chown("/var/lib/stockade/tmp/nobody", 0, 0) == 0);
	CHECK(run("open", "nobody", "sshd") == 0);
	CHECK(count_records(&connection) == 0);
	CHECK(strstr(system_record(log_fd), "reason=session"));
}

static void opening_that_fails_lets_the_gateway_refuse_and_leaves_no_record(void **state)
{
	(void)state;
	system_run(check_broken_session);
}

static void check_mask(void)
{
	struct stat st;

	open_host();
	system_profile(PROFILE);
	umask(0777);
	CHECK(run("open", "nobody", "sshd") == 0);
	CHECK(stat("/run/stockade", &st) == 0 && (st.st_mode & 07777) == 0755);
	CHECK(stat("/run/stockade/65534", &st) == 0 && (st.st_mode & 07777) == 0755);
	umask(022);
	CHECK(run("close", "nobody", "sshd") == 0);
}

static void the_account_can_read_its_record_whatever_mask_the_caller_had(void **state)
{
	(void)state;
	system_run(check_mask);
}

/* Else another connection that opens at the same time takes the directory for what a crash left. */
static void check_order(void)
{
	static char events[4096];
	int log_fd = open_host(), watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	system_profile(PROFILE);
	CHECK(run("open", "nobody", "sshd") == 0 && run("close", "nobody", "sshd") == 0);
	CHECK(rmdir("/run/stockade/65534") == 0);
	system_write("/run/stockade/65534", "", 0644);
	CHECK(inotify_add_watch(watch, "/var/lib/stockade/tmp/nobody", IN_CREATE) >= 0);
	CHECK(run("open", "nobody", "sshd") == 0);
	CHECK(strstr(system_record(log_fd), "reason=session"));
	CHECK(read(watch, events, sizeof(events)) < 0);
}

static void no_directory_is_made_before_its_record(void **state)
{
	(void)state;
	system_run(check_order);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_has_no_profile_is_let_in_and_nothing_is_made),
		cmocka_unit_test(an_unknown_phase_fails),
		cmocka_unit_test(jobs_disabled_accounts_and_broken_profiles_are_refused_with_a_record),
		cmocka_unit_test(a_connection_gets_its_directory_and_record_and_close_takes_both),
		cmocka_unit_test(a_host_of_two_lines_forges_no_line_of_the_record),
		cmocka_unit_test(opening_that_fails_lets_the_gateway_refuse_and_leaves_no_record),
		cmocka_unit_test(the_account_can_read_its_record_whatever_mask_the_caller_had),
		cmocka_unit_test(no_directory_is_made_before_its_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

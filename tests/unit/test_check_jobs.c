/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

static size_t look(struct check *check, enum check_id id)
{
	check_forget(check);
	check_jobs(check);
	return check_count(check, id);
}

static void cron_is_open_to_all_but_those_who_are_denied(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	assert_int_equal(look(&check, CHECK_ACCOUNT_CRON_ALLOWED), 0); /* no cron here */
	temp_dir(temp, "usr/bin");
	temp_dir(temp, "etc");
	temp_file(temp, "usr/bin/crontab", "", 0755);
	assert_int_equal(look(&check, CHECK_ACCOUNT_CRON_ALLOWED), 1);
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_CRON_ALLOWED)->cure, "echo build >>/etc/cron.deny");
	temp_file(temp, "etc/cron.deny", "other\nbuild\n", 0644);
	assert_int_equal(look(&check, CHECK_ACCOUNT_CRON_ALLOWED), 0);
	temp_file(temp, "etc/cron.allow", "build", 0644);
	assert_int_equal(look(&check, CHECK_ACCOUNT_CRON_ALLOWED), 1);
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_CRON_ALLOWED)->cure, "sed -i '/^build$/d' /etc/cron.allow");
	temp_file(temp, "etc/cron.allow", "builder\n", 0644);
	assert_int_equal(look(&check, CHECK_ACCOUNT_CRON_ALLOWED), 0);
	check_release(&check);
}

static void what_is_left_in_home_is_named(void **state)
{
	static const char *const managers[] = { ".config/systemd/user", ".config/environment.d", ".config/user-tmpfiles.d", ".local/share/dbus-1/services" };
	const struct temp *temp = *state;
	struct check check;
	char path[128];

	check_open(&check, temp);
	temp_dir(temp, "home/build");
	assert_int_equal(look(&check, CHECK_ACCOUNT_USER_UNITS), 0);
	for (size_t i = 0; i < COUNT(managers); i++) {
		snprintf(path, sizeof(path), "home/build/%s", managers[i]);
		temp_dir(temp, path);
		assert_int_equal(look(&check, CHECK_ACCOUNT_USER_UNITS), i);
		strcat(path, "/x.conf");
		temp_file(temp, path, "", 0644);
		assert_int_equal(look(&check, CHECK_ACCOUNT_USER_UNITS), i + 1);
	}
	assert_int_equal(look(&check, CHECK_ACCOUNT_MAIL_COMMAND), 0);
	temp_file(temp, "home/build/.forward", "|/bin/sh\n", 0644);
	assert_int_equal(look(&check, CHECK_ACCOUNT_MAIL_COMMAND), 1);
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_MAIL_COMMAND)->cure, "runuser -u build -- rm /home/build/.forward");
	check_release(&check);
}

static void at_is_closed_without_a_list(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	temp_dir(temp, "usr/bin");
	temp_dir(temp, "etc");
	temp_file(temp, "usr/bin/at", "", 0755);
	assert_int_equal(look(&check, CHECK_ACCOUNT_AT_ALLOWED), 0);
	temp_file(temp, "etc/at.deny", "", 0644);
	assert_int_equal(look(&check, CHECK_ACCOUNT_AT_ALLOWED), 1);
	temp_file(temp, "etc/at.deny", "build\n", 0644);
	assert_int_equal(look(&check, CHECK_ACCOUNT_AT_ALLOWED), 0);
	check_release(&check);
}

static void a_line_of_the_system_crontab_names_its_user(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	temp_dir(temp, "etc/cron.d");
	temp_file(temp, "etc/crontab", "SHELL=/bin/sh\n# * * * * * build x\n*/5 * * * * build x\n0 1 * * * root build\n@daily build x\n@daily\n", 0644);
	assert_int_equal(look(&check, CHECK_ACCOUNT_CRONTAB), 2);
	assert_string_equal(check.findings[0].where, "/etc/crontab:3");
	assert_string_equal(check.findings[1].cure, "sed -i '5s/^/#/' /etc/crontab");
	check_release(&check);
}

static void names_units_and_linger_and_spools(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	temp_dir(temp, "home/build/.config/systemd/user");
	temp_dir(temp, "var/lib/systemd/linger");
	temp_dir(temp, "var/spool/cron/crontabs");
	assert_int_equal(look(&check, CHECK_ACCOUNT_USER_UNITS), 0);
	temp_file(temp, "home/build/.config/systemd/user/x.service", "", 0644);
	temp_file(temp, "var/lib/systemd/linger/build", "", 0644);
	temp_file(temp, "var/spool/cron/crontabs/build", "", 0600);
	check_jobs(&check);
	assert_has(check_found(&check, CHECK_ACCOUNT_USER_UNITS)->cure, "runuser -u build -- rm -r");
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_LINGER)->cure, "loginctl disable-linger build");
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_CRONTAB)->cure, "rm /var/spool/cron/crontabs/build");
	check_release(&check);
}

static void a_system_unit_of_the_accounts_is_named_once(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	temp_dir(temp, "usr/lib/systemd/system");
	temp_link(temp, "usr/lib", "lib");
	temp_dir(temp, "etc/systemd/system/other.service.d");
	temp_file(temp, "usr/lib/systemd/system/nightly.service", "[Unit]\nUser=build\n[Service]\n# User=build\nUser=root\n", 0644);
	temp_file(temp, "usr/lib/systemd/system/user@.service", "[Service]\nUser=%i\n", 0644);
	temp_file(temp, "etc/systemd/system/x.timer", "[Service]\nUser=build\n", 0644);
	assert_int_equal(look(&check, CHECK_ACCOUNT_SYSTEM_UNITS), 0);
	temp_file(temp, "usr/lib/systemd/system/nightly.service", "[Service]\nExecStart=/bin/x\n User = build\nUser=build \r\n", 0644);
	assert_int_equal(look(&check, CHECK_ACCOUNT_SYSTEM_UNITS), 1);
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_SYSTEM_UNITS)->cure, "systemctl mask --now nightly.service");
	temp_link(temp, "/dev/null", "etc/systemd/system/nightly.service");
	assert_int_equal(look(&check, CHECK_ACCOUNT_SYSTEM_UNITS), 0);
	temp_file(temp, "etc/systemd/system/other.service.d/user.conf", "[Service]\nUser=1001\n", 0644);
	assert_int_equal(look(&check, CHECK_ACCOUNT_SYSTEM_UNITS), 1);
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_SYSTEM_UNITS)->cure,
		"systemctl disable --now other.service; mv /etc/systemd/system/other.service.d/user.conf /etc/systemd/system/other.service.d/user.conf.off && systemctl daemon-reload");
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(cron_is_open_to_all_but_those_who_are_denied),
		temp_test(what_is_left_in_home_is_named),
		temp_test(at_is_closed_without_a_list),
		temp_test(a_line_of_the_system_crontab_names_its_user),
		temp_test(names_units_and_linger_and_spools),
		temp_test(a_system_unit_of_the_accounts_is_named_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

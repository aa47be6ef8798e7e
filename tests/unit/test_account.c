/* SPDX-License-Identifier: ISC */
#include "account.h"

#include <errno.h>
#include <nss.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define NO_UID ((uid_t)4123456789u)

static void an_account_is_found_by_id_and_by_name_alike(void **state)
{
	const struct passwd *entry = getpwuid(0);
	struct account a, b;

	(void)state;
	assert_non_null(entry);
	assert_int_equal(account_by_uid(&a, 0, &(struct err){ "" }), 0);
	assert_int_equal(account_by_name(&b, a.name, &(struct err){ "" }), 0);
	entry = getpwuid(0);
	assert_string_equal(a.name, entry->pw_name);
	assert_string_equal(a.home, entry->pw_dir);
	assert_string_equal(a.shell, entry->pw_shell);
	assert_int_equal(a.gid, entry->pw_gid);
	assert_int_equal(b.uid, 0);
	assert_string_equal(a.home, b.home);
	account_release(&a);
	account_release(&b);
	assert_null(a.name);
	account_release(&a);
}

static void the_primary_group_comes_first_and_names_go_with_ids(void **state)
{
	struct account account;

	(void)state;
	assert_int_equal(account_by_uid(&account, 0, &(struct err){ "" }), 0);
	assert_true(account.groups.len >= 1);
	assert_int_equal(account.gids[0], account.gid);
	assert_string_equal(account.groups.items[0], account.group);
	assert_string_equal(account.group, "root");
	account_release(&account);
}

static void every_account_of_the_host_can_be_read(void **state)
{
	uid_t uids[500];
	size_t count = 0;

	(void)state;
	setpwent();
	for (const struct passwd *entry; count < 500 && (entry = getpwent());)
		uids[count++] = entry->pw_uid;
	endpwent();
	assert_true(count > 1);
	for (size_t i = 0; i < count; i++) {
		struct account account;

		assert_int_equal(account_by_uid(&account, uids[i], &(struct err){ "" }), 0);
		assert_int_equal(account.uid, uids[i]);
		assert_non_null(account.group);
		account_release(&account);
	}
}

static void who_is_not_there_is_named_in_the_sentence(void **state)
{
	struct account account;
	struct err err = { "" };

	(void)state;
	assert_int_equal(account_by_name(&account, "no-such-user", &err), -ENOENT);
	assert_non_null(strstr(err.text, "no-such-user"));
	assert_int_equal(account_by_uid(&account, NO_UID, &err), -ENOENT);
	assert_non_null(strstr(err.text, "4123456789"));
}

static void a_name_service_that_does_not_answer_is_not_an_absent_user(void **state)
{
	struct account account;
	struct err err = { "" };
	struct rlimit had, none;

	(void)state;
	assert_int_equal(__nss_configure_lookup("passwd", "files"), 0); /* a second service would answer for the first */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &had), 0);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = had.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(account_by_uid(&account, NO_UID, &err), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &had), 0);
	assert_non_null(strstr(err.text, "cannot look up the user with the id 4123456789: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_account_is_found_by_id_and_by_name_alike),
		cmocka_unit_test(the_primary_group_comes_first_and_names_go_with_ids),
		cmocka_unit_test(every_account_of_the_host_can_be_read),
		cmocka_unit_test(who_is_not_there_is_named_in_the_sentence),
		cmocka_unit_test(a_name_service_that_does_not_answer_is_not_an_absent_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

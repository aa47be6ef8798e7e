/* SPDX-License-Identifier: ISC */
#include "session.h"

#include "session_fixture.h"

static void ids_are_eight_letters_and_digits_and_never_the_same(void **state)
{
	char ids[200][SESSION_ID_SIZE];

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		assert_int_equal(session_new_id(ids[i], &(struct err){ "" }), 0);
		assert_int_equal(strlen(ids[i]), 8);
		assert_int_equal(strspn(ids[i], "abcdefghijklmnopqrstuvwxyz0123456789"), 8);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(ids[i], ids[j]);
	}
}

static void without_a_directory_of_roots_or_the_accounts_there_is_none(void **state)
{
	const struct account account = { .uid = geteuid(), .name = (char *)"build" };
	struct session session;
	struct err err = { "" };

	(void)state;
	session_init(&session);
	assert_int_equal(session_find_base(&session, "/nonexistent", "", &account, &err), -ENOENT);
	assert_true(strlen(err.text) > 0);
	session_close(&session, &err);
}

static void a_base_must_be_the_accounts_alone(void **state)
{
	static const mode_t bad[] = { 0755, 0750, 0701, 0777, 01700 };
	const struct temp *temp = *state;
	struct account account = { .uid = geteuid(), .name = (char *)"build" };
	struct session session;
	struct err err = { "" };

	if (geteuid() != 0)
		temp_skip("only root makes the directory");
	temp_dir(temp, "build");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(fchmodat(temp->fd, "build", bad[i], 0), 0);
		session_init(&session);
		if (session_find_base(&session, temp->path, "", &account, &err) != -EPERM)
			fail_msg("mode %04o", bad[i]);
		session_close(&session, &err);
	}
	assert_int_equal(fchmodat(temp->fd, "build", 0700, 0), 0);
	session_init(&session);
	assert_int_equal(session_find_base(&session, temp->path, "", &account, &err), 0);
	session_close(&session, &err);
	account.uid = 12345;
	session_init(&session);
	assert_int_equal(session_find_base(&session, temp->path, "", &account, &err), -EPERM);
	session_close(&session, &err);
	/* Nor may anybody else write where it hangs. */
	account.uid = 0;
	assert_int_equal(fchmod(temp->fd, 0777), 0);
	session_init(&session);
	assert_int_equal(session_find_base(&session, temp->path, "", &account, &err), -EPERM);
	session_close(&session, &err);
}

static void a_runtime_base_that_others_can_enter_is_refused(void **state)
{
	const struct temp *temp = *state;
	const struct account account = { .uid = geteuid(), .name = (char *)"build" };
	struct session session;
	struct err err = { "" };

	temp_dir(temp, "stockade");
	session_init(&session);
	assert_int_equal(session_find_base(&session, "/nonexistent", temp->path, &account, &err), -EPERM);
	session_close(&session, &err);
	assert_int_equal(unlinkat(temp->fd, "stockade", AT_REMOVEDIR), 0);
	temp_dir(temp, "elsewhere");
	temp_link(temp, "elsewhere", "stockade");
	session_init(&session);
	assert_true(session_find_base(&session, "/nonexistent", temp->path, &account, &err) < 0);
	session_close(&session, &err);
}

static void private_directories_are_made_and_leave_nothing(void **state)
{
	static const struct {
		const char *path;
		mode_t mode;
	} made[] = { { "runtime/stockade", 0700 }, { "runtime/stockade/aaaaaaaa", 0700 }, { "runtime/stockade/aaaaaaaa/tmp", 01777 },
		{ "runtime/stockade/aaaaaaaa/var-tmp", 01777 }, { "runtime/stockade/aaaaaaaa/home", 0700 }, { "runtime/stockade/aaaaaaaa/work", 0700 } };
	const struct temp *temp = *state;
	struct session session;
	struct stat st;

	open_session(&session, temp, "aaaaaaaa");
	assert_takes(&session, &no_limits);
	assert_int_equal(session_make(&session, &(struct err){ "" }), 0);
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		assert_int_equal(fstatat(temp->fd, made[i].path, &st, AT_SYMLINK_NOFOLLOW), 0);
		assert_int_equal(st.st_mode & 07777, made[i].mode);
	}
	for (int i = PRIVATE_NONE + 1; i < PRIVATE_COUNT; i++)
		assert_true(session.private_fds[i] >= 0 && (fcntl(session.private_fds[i], F_GETFD) & FD_CLOEXEC));
	temp_file(temp, "runtime/stockade/aaaaaaaa/tmp/left", "x", 0);
	assert_int_equal(session_close(&session, &(struct err){ "" }), 0);
	assert_false(temp_has(temp, "runtime/stockade/aaaaaaaa"));
	assert_false(temp_has(temp, "runtime/stockade/runs/aaaaaaaa."));
}

static void a_living_runs_directory_is_not_swept(void **state)
{
	const struct temp *temp = *state;
	struct session a, b;

	open_session(&a, temp, "aaaaaaaa");
	assert_takes(&a, &no_limits);
	assert_int_equal(session_make(&a, &(struct err){ "" }), 0);
	open_session(&b, temp, "bbbbbbbb");
	assert_takes(&b, &no_limits);
	assert_true(temp_has(temp, "runtime/stockade/aaaaaaaa/tmp"));
	session_close(&b, &(struct err){ "" });
	session_close(&a, &(struct err){ "" });
}

static bool is_kept(void *data, const char *name)
{
	(void)data;
	return strcmp(name, "kept") == 0;
}

static void a_sweep_takes_what_nobody_holds_or_keeps(void **state)
{
	const struct temp *temp = *state;
	struct session a, b;

	open_session(&a, temp, "aaaaaaaa");
	assert_takes(&a, &no_limits);
	assert_int_equal(session_make(&a, &(struct err){ "" }), 0);
	temp_dir(temp, "runtime/stockade/crashed/tmp/x");
	temp_dir(temp, "runtime/stockade/kept/tmp");
	open_session(&b, temp, "bbbbbbbb");
	assert_int_equal(session_sweep(&b, is_kept, NULL, &(struct err){ "" }), 0);
	assert_false(temp_has(temp, "runtime/stockade/crashed"));
	assert_true(temp_has(temp, "runtime/stockade/kept/tmp"));
	assert_true(temp_has(temp, "runtime/stockade/aaaaaaaa/tmp"));
	assert_true(temp_has(temp, "runtime/stockade/runs/aaaaaaaa."));
	session_close(&b, &(struct err){ "" });
	session_close(&a, &(struct err){ "" });
}

static void the_floor_is_of_free_blocks_in_percent_or_bytes(void **state)
{
	const struct profile_size none = { { 0, false }, false }, low = { { 1, false }, true }, high = { { 1ull << 60, false }, true },
				  all = { { 100, true }, true };
	const struct temp *temp = *state;
	struct session session;
	char why[256] = "";

	open_session(&session, temp, "aaaaaaaa");
	assert_false(session_is_below_floor(&session, &none, why, sizeof(why)));
	assert_false(session_is_below_floor(&session, &low, why, sizeof(why)));
	assert_string_equal(why, "");
	assert_true(session_is_below_floor(&session, &high, why, sizeof(why)));
	assert_non_null(strstr(why, "MiB are free"));
	assert_true(session_is_below_floor(&session, &all, why, sizeof(why)));
	session_close(&session, &(struct err){ "" });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_eight_letters_and_digits_and_never_the_same),
		temp_test(without_a_directory_of_roots_or_the_accounts_there_is_none),
		temp_test(a_base_must_be_the_accounts_alone),
		temp_test(a_runtime_base_that_others_can_enter_is_refused),
		temp_test(private_directories_are_made_and_leave_nothing),
		temp_test(a_living_runs_directory_is_not_swept),
		temp_test(a_sweep_takes_what_nobody_holds_or_keeps),
		temp_test(the_floor_is_of_free_blocks_in_percent_or_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

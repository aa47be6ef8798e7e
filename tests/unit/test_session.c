/* SPDX-License-Identifier: ISC */
#include "session.h"

#include <sys/file.h>
#include <signal.h>
#include <time.h>

#include "temp.h"

static const struct session_limits no_limits = { UINT64_MAX, UINT64_MAX, NULL, 0 };

struct lost {
	int count;
	char note[256];
};

static void take_lost(void *data, const char *note)
{
	struct lost *lost = data;

	lost->count++;
	snprintf(lost->note, sizeof(lost->note), "%s", note);
}

/* A session of the user who runs the test, below a runtime directory. */
static void open_session(struct session *session, const struct temp *temp, const char *id)
{
	const struct account account = { .uid = geteuid(), .name = (char *)"build" };
	char runtime[128];
	struct err err = { "" };

	temp_dir(temp, "runtime");
	snprintf(runtime, sizeof(runtime), "%s/runtime", temp->path);
	session_init(session);
	snprintf(session->id, sizeof(session->id), "%s", id);
	if (session_find_base(session, "/nonexistent", runtime, &account, &err))
		fail_msg("%s", err.text);
}

static int take(struct session *session, const struct session_limits *limits, struct lost *lost, struct err *err)
{
	return session_take_place(session, limits, take_lost, lost, err);
}

static void assert_takes(struct session *session, const struct session_limits *limits)
{
	struct lost lost = { .count = 0 };
	struct err err = { "" };

	if (take(session, limits, &lost, &err))
		fail_msg("%s", err.text);
}

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

static void places_are_counted_over_all_and_by_actor(void **state)
{
	const struct session_limits two = { 2, UINT64_MAX, NULL, 0 }, alice = { 9, 1, "alice", 0 }, bob = { 9, 1, "bob", 0 };
	const struct temp *temp = *state;
	struct session a, b, c;
	struct lost lost = { .count = 0 };
	struct err err = { "" };

	open_session(&a, temp, "aaaaaaaa");
	open_session(&b, temp, "bbbbbbbb");
	open_session(&c, temp, "cccccccc");
	assert_takes(&a, &two);
	assert_takes(&b, &alice);
	assert_int_equal(take(&c, &two, &lost, &err), -EBUSY);
	assert_non_null(strstr(err.text, "already runs 2 commands"));
	assert_int_equal(take(&c, &alice, &lost, &err), -EBUSY);
	assert_non_null(strstr(err.text, "you already run 1 commands"));
	assert_takes(&c, &bob);
	assert_int_equal(lost.count, 0);
	session_close(&a, &err);
	session_close(&b, &err);
	session_close(&c, &err);
	/* All places are given back. */
	open_session(&a, temp, "aaaaaaaa");
	assert_takes(&a, &(struct session_limits){ 1, 1, "alice", 0 });
	session_close(&a, &err);
}

/* A gateway of its own, killed where it stands. */
static void killed_holder(const struct temp *temp, const char *id, const char *note)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct session session;

		open_session(&session, temp, id);
		assert_takes(&session, &no_limits);
		if (session_make(&session, &(struct err){ "" }) || (note && session_note(&session, note)))
			_exit(1);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	kill(pid, SIGKILL);
	assert_int_equal(temp_wait(pid), 128 + SIGKILL);
}

static void a_killed_gateways_place_is_free_at_once_and_its_end_told(void **state)
{
	const struct session_limits one = { 1, UINT64_MAX, NULL, 0 };
	const struct temp *temp = *state;
	struct session session;
	struct lost lost = { .count = 0 };

	killed_holder(temp, "dddddddd", "session=dddddddd user=build\nmore\n");
	assert_true(temp_has(temp, "runtime/stockade/dddddddd/tmp"));
	open_session(&session, temp, "eeeeeeee");
	assert_int_equal(take(&session, &one, &lost, &(struct err){ "" }), 0);
	assert_int_equal(lost.count, 1);
	assert_string_equal(lost.note, "session=dddddddd user=build");
	assert_false(temp_has(temp, "runtime/stockade/dddddddd"));
	assert_false(temp_has(temp, "runtime/stockade/runs/dddddddd."));
	session_close(&session, &(struct err){ "" });
}

static void a_gateway_killed_before_its_start_was_logged_has_no_end(void **state)
{
	const struct temp *temp = *state;
	struct session session;
	struct lost lost = { .count = 0 };

	killed_holder(temp, "dddddddd", NULL);
	open_session(&session, temp, "eeeeeeee");
	assert_int_equal(take(&session, &no_limits, &lost, &(struct err){ "" }), 0);
	assert_int_equal(lost.count, 0);
	assert_false(temp_has(temp, "runtime/stockade/dddddddd"));
	session_close(&session, &(struct err){ "" });
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

static void a_full_account_waits_in_the_queue_and_then_gives_up(void **state)
{
	const struct session_limits queued = { 1, UINT64_MAX, NULL, 1 };
	const struct temp *temp = *state;
	struct timespec begin, now;
	struct lost lost = { .count = 0 };
	struct session a, b;
	struct err err = { "" };

	open_session(&a, temp, "aaaaaaaa");
	open_session(&b, temp, "bbbbbbbb");
	assert_takes(&a, &no_limits);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	assert_int_equal(take(&b, &queued, &lost, &err), -EBUSY);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_in_range((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000, 900, 20000);
	session_close(&a, &err);
	assert_int_equal(take(&b, &queued, &lost, &err), 0);
	session_close(&b, &err);
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

static void count_run(void *data, const char *id, const char *actor, const char *note)
{
	struct lost *seen = data;

	seen->count++;
	snprintf(seen->note, sizeof(seen->note), "%s %s %s", id, actor, note);
}

static void each_living_run_is_told_and_each_dead_one_cleared(void **state)
{
	const struct temp *temp = *state;
	struct session a, b;
	struct lost seen = { .count = 0 };

	killed_holder(temp, "dddddddd", NULL);
	open_session(&a, temp, "aaaaaaaa");
	assert_takes(&a, &(struct session_limits){ 9, 9, "alice", 0 });
	assert_int_equal(session_note(&a, "the note\n"), 0);
	killed_holder(temp, "dddddddd", NULL);
	open_session(&b, temp, "bbbbbbbb");
	assert_int_equal(session_each(&b, count_run, take_lost, &seen, &(struct err){ "" }), 0);
	assert_int_equal(seen.count, 1);
	assert_string_equal(seen.note, "aaaaaaaa alice the note\n");
	assert_false(temp_has(temp, "runtime/stockade/runs/dddddddd."));
	session_close(&b, &(struct err){ "" });
	session_close(&a, &(struct err){ "" });
}

static void a_note_too_long_is_refused_and_a_new_one_replaces_the_old(void **state)
{
	const struct temp *temp = *state;
	struct session session;
	char note[4096], text[64] = "";
	int fd;

	open_session(&session, temp, "aaaaaaaa");
	assert_takes(&session, &(struct session_limits){ 9, 9, "alice", 0 });
	memset(note, 'a', sizeof(note));
	note[sizeof(note) - 1] = '\0';
	assert_true(session_note(&session, note) < 0);
	assert_int_equal(session_note(&session, "first, and longer\n"), 0);
	assert_int_equal(session_note(&session, "second\n"), 0);
	fd = openat(temp->fd, "runtime/stockade/runs/aaaaaaaa.alice", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "second\n");
	close(fd);
	session_close(&session, &(struct err){ "" });
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
		temp_test(places_are_counted_over_all_and_by_actor),
		temp_test(a_killed_gateways_place_is_free_at_once_and_its_end_told),
		temp_test(a_gateway_killed_before_its_start_was_logged_has_no_end),
		temp_test(a_living_runs_directory_is_not_swept),
		temp_test(a_full_account_waits_in_the_queue_and_then_gives_up),
		temp_test(a_sweep_takes_what_nobody_holds_or_keeps),
		temp_test(each_living_run_is_told_and_each_dead_one_cleared),
		temp_test(a_note_too_long_is_refused_and_a_new_one_replaces_the_old),
		temp_test(the_floor_is_of_free_blocks_in_percent_or_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

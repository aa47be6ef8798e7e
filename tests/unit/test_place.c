/* SPDX-License-Identifier: ISC */
#include "place.h"

#include <poll.h>
#include <sys/signalfd.h>

#include "session_fixture.h"

static void places_are_counted_over_all_and_by_actor(void **state)
{
	const struct place_limits two = { 2, UINT64_MAX, NULL, 0 }, alice = { 9, 1, "alice", 0 }, bob = { 9, 1, "bob", 0 };
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
	assert_takes(&a, &(struct place_limits){ 1, 1, "alice", 0 });
	session_close(&a, &err);
}

static void a_killed_gateways_place_is_free_at_once_and_its_end_told(void **state)
{
	const struct place_limits one = { 1, UINT64_MAX, NULL, 0 };
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

static void a_full_account_waits_in_the_queue_and_then_gives_up(void **state)
{
	const struct place_limits queued = { 1, UINT64_MAX, NULL, 1 };
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
	assert_takes(&a, &(struct place_limits){ 9, 9, "alice", 0 });
	assert_int_equal(place_note(&a, "the note\n"), 0);
	killed_holder(temp, "dddddddd", NULL);
	open_session(&b, temp, "bbbbbbbb");
	assert_int_equal(place_each(&b, count_run, take_lost, &seen, &(struct err){ "" }), 0);
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
	assert_takes(&session, &(struct place_limits){ 9, 9, "alice", 0 });
	memset(note, 'a', sizeof(note));
	note[sizeof(note) - 1] = '\0';
	assert_true(place_note(&session, note) < 0);
	assert_int_equal(place_note(&session, "first, and longer\n"), 0);
	assert_int_equal(place_note(&session, "second\n"), 0);
	fd = openat(temp->fd, "runtime/stockade/runs/aaaaaaaa.alice", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "second\n");
	close(fd);
	session_close(&session, &(struct err){ "" });
}

/* A gateway that waits for a place, and says that it got one, then waits to be let go. */
struct waiter {
	pid_t pid;
	int fd;
};

static struct waiter start_waiter(const struct temp *temp, const char *id, const struct place_limits *limits)
{
	struct waiter waiter;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	waiter.pid = fork();
	if (waiter.pid == 0) {
		struct lost lost = { .count = 0 };
		struct session session;
		char letter = id[0];

		alarm(60);
		open_session(&session, temp, id);
		if (take(&session, limits, &lost, &(struct err){ "" }) || write(ends[1], &letter, 1) != 1)
			_exit(1);
		pause();
		_exit(1);
	}
	close(ends[1]);
	waiter.fd = ends[0];
	return waiter;
}

/* Killed: its place, or its wait, is free at once. */
static void end_waiter(struct waiter *waiter)
{
	kill(waiter->pid, SIGKILL);
	temp_wait(waiter->pid);
	close(waiter->fd);
}

static bool has_place(const struct waiter *waiter, int ms)
{
	struct pollfd item = { .fd = waiter->fd, .events = POLLIN };

	return poll(&item, 1, ms) == 1 && (item.revents & POLLIN);
}

/* Until its file is there, so that the order is known. */
static void until_queued(const struct temp *temp, const char *id)
{
	char command[300];

	snprintf(command, sizeof(command), "for i in $(seq 500); do ls '%s/runtime/stockade/runs' | grep -q 'wait-.*-%s[.]' && exit; sleep 0.02; done; exit 1",
		temp->path, id);
	assert_int_equal(system(command), 0);
}

static void who_came_first_is_served_first(void **state)
{
	const struct place_limits queued = { 1, UINT64_MAX, NULL, 50 }, at_once = { 1, UINT64_MAX, NULL, 0 }, two = { 2, UINT64_MAX, NULL, 0 };
	const struct temp *temp = *state;
	struct waiter first = start_waiter(temp, "aaaaaaaa", &queued), second, third;
	struct lost lost = { .count = 0 };
	struct session newcomer;

	assert_true(has_place(&first, 20000));
	/* Names that would sort the other way round. */
	second = start_waiter(temp, "zzzzzzzz", &queued);
	until_queued(temp, "zzzzzzzz");
	third = start_waiter(temp, "bbbbbbbb", &queued);
	until_queued(temp, "bbbbbbbb");
	open_session(&newcomer, temp, "cccccccc");
	/* One runs and two wait: a second place is theirs. */
	assert_int_equal(take(&newcomer, &two, &lost, &(struct err){ "" }), -EBUSY);
	end_waiter(&first);
	assert_true(has_place(&second, 20000));
	assert_false(has_place(&third, 300));
	assert_int_equal(take(&newcomer, &at_once, &lost, &(struct err){ "" }), -EBUSY);
	end_waiter(&second);
	assert_true(has_place(&third, 20000));
	end_waiter(&third);
	assert_int_equal(take(&newcomer, &at_once, &lost, &(struct err){ "" }), 0);
	session_close(&newcomer, &(struct err){ "" });
}

static void a_killed_waiter_holds_nobody_up(void **state)
{
	const struct place_limits queued = { 1, UINT64_MAX, NULL, 50 };
	const struct temp *temp = *state;
	struct waiter first = start_waiter(temp, "aaaaaaaa", &queued), second, third;

	assert_true(has_place(&first, 20000));
	second = start_waiter(temp, "bbbbbbbb", &queued);
	until_queued(temp, "bbbbbbbb");
	third = start_waiter(temp, "cccccccc", &queued);
	until_queued(temp, "cccccccc");
	end_waiter(&second);
	end_waiter(&first);
	assert_true(has_place(&third, 20000));
	end_waiter(&third);
}

static void one_whose_actor_has_no_room_holds_nobody_up(void **state)
{
	const struct place_limits alice = { 2, 1, "alice", 50 }, bob = { 2, 1, "bob", 0 };
	const struct temp *temp = *state;
	struct waiter first = start_waiter(temp, "aaaaaaaa", &alice), second;
	struct lost lost = { .count = 0 };
	struct session other;

	assert_true(has_place(&first, 20000));
	second = start_waiter(temp, "bbbbbbbb", &alice);
	until_queued(temp, "bbbbbbbb");
	open_session(&other, temp, "cccccccc");
	assert_int_equal(take(&other, &bob, &lost, &(struct err){ "" }), 0);
	assert_false(has_place(&second, 200));
	session_close(&other, &(struct err){ "" });
	end_waiter(&first);
	assert_true(has_place(&second, 20000));
	end_waiter(&second);
}

static void a_client_that_goes_away_leaves_the_queue(void **state)
{
	const struct place_limits queued = { 1, UINT64_MAX, NULL, 50 };
	const struct temp *temp = *state;
	struct lost lost = { .count = 0 };
	struct session a, b;
	int ends[2];

	open_session(&a, temp, "aaaaaaaa");
	open_session(&b, temp, "bbbbbbbb");
	assert_takes(&a, &no_limits);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(place_take(&b, &queued, ends[1], -1, take_lost, &lost, &(struct err){ "" }), -ECANCELED);
	close(ends[1]);
	assert_int_equal(b.run_fd, -1);
	session_close(&b, &(struct err){ "" });
	session_close(&a, &(struct err){ "" });
}

static void a_signal_ends_the_wait_and_a_new_window_size_does_not(void **state)
{
	const struct place_limits queued = { 1, UINT64_MAX, NULL, 1 };
	const struct temp *temp = *state;
	struct lost lost = { .count = 0 };
	struct session a, b;
	sigset_t set;
	int signal_fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	open_session(&a, temp, "aaaaaaaa");
	open_session(&b, temp, "bbbbbbbb");
	assert_takes(&a, &no_limits);
	raise(SIGWINCH);
	assert_int_equal(place_take(&b, &queued, -1, signal_fd, take_lost, &lost, &(struct err){ "" }), -EBUSY);
	raise(SIGTERM);
	assert_int_equal(place_take(&b, &queued, -1, signal_fd, take_lost, &lost, &(struct err){ "" }), -ECANCELED);
	assert_int_equal(b.run_fd, -1);
	close(signal_fd);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	session_close(&b, &(struct err){ "" });
	session_close(&a, &(struct err){ "" });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(places_are_counted_over_all_and_by_actor),
		temp_test(a_killed_gateways_place_is_free_at_once_and_its_end_told),
		temp_test(a_gateway_killed_before_its_start_was_logged_has_no_end),
		temp_test(a_full_account_waits_in_the_queue_and_then_gives_up),
		temp_test(each_living_run_is_told_and_each_dead_one_cleared),
		temp_test(a_note_too_long_is_refused_and_a_new_one_replaces_the_old),
		temp_test(who_came_first_is_served_first),
		temp_test(a_killed_waiter_holds_nobody_up),
		temp_test(one_whose_actor_has_no_room_holds_nobody_up),
		temp_test(a_client_that_goes_away_leaves_the_queue),
		temp_test(a_signal_ends_the_wait_and_a_new_window_size_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "removal.h"

#include <sched.h>
#include <sys/mount.h>
#include <time.h>

#include "temp.h"

#define NOBODY 65534

static void assert_removes(const struct temp *temp, const char *name)
{
	struct err err = { "" };

	if (removal_tree(temp->fd, name, &err))
		fail_msg("%s", err.text);
	assert_false(temp_has(temp, name));
}

static void a_tree_goes_with_all_that_is_in_it(void **state)
{
	const struct temp *temp = *state;

	temp_dir(temp, "tree/a/b/c");
	temp_dir(temp, "tree/d");
	temp_file(temp, "tree/file", "x", 0644);
	temp_file(temp, "tree/a/file", "x", 0);
	assert_int_equal(mkfifoat(temp->fd, "tree/a/fifo", 0644), 0);
	temp_file(temp, "beside", "x", 0644);
	assert_removes(temp, "tree");
	assert_true(temp_has(temp, "beside"));
}

static void what_is_absent_or_no_directory_is_removed_too(void **state)
{
	const struct temp *temp = *state;

	temp_file(temp, "file", "x", 0644);
	temp_dir(temp, "empty");
	assert_removes(temp, "none");
	assert_removes(temp, "file");
	assert_removes(temp, "empty");
}

static void no_link_is_followed(void **state)
{
	const struct temp *temp = *state;

	temp_dir(temp, "kept/inside");
	temp_file(temp, "kept/file", "x", 0644);
	temp_dir(temp, "tree/sub");
	temp_link(temp, "../kept", "tree/link");
	temp_link(temp, "../../kept/file", "tree/sub/link");
	temp_link(temp, "..", "tree/up");
	temp_link(temp, "kept", "rootlink");
	assert_removes(temp, "tree");
	assert_removes(temp, "rootlink");
	assert_true(temp_has(temp, "kept/inside"));
	assert_true(temp_has(temp, "kept/file"));
}

/* In a child, as the user that left the tree: root has no trouble with modes. */
static int as_nobody(const struct temp *temp, const char *name)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct err err = { "" };

		if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
			_exit(99);
		if (removal_tree(temp->fd, name, &err))
			fprintf(stderr, "%s\n", err.text);
		_exit(temp_has(temp, name));
	}
	return temp_wait(pid);
}

static void give_to_nobody(const struct temp *temp)
{
	char command[256];

	if (geteuid() != 0)
		return;
	snprintf(command, sizeof(command), "chown -Rh %d:%d '%s'", NOBODY, NOBODY, temp->path);
	assert_int_equal(system(command), 0);
}

static void directories_of_any_mode_go_with_their_owners_rights(void **state)
{
	static const mode_t modes[] = { 0, 0111, 0444, 0222, 0555, 0333 };
	const struct temp *temp = *state;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		temp_dir(temp, "tree/a/b");
		temp_file(temp, "tree/a/b/file", "x", 0);
		temp_file(temp, "tree/a/file", "x", 0);
		give_to_nobody(temp);
		assert_int_equal(fchmodat(temp->fd, "tree/a/b", modes[i], 0), 0);
		assert_int_equal(fchmodat(temp->fd, "tree/a", modes[i], 0), 0);
		assert_int_equal(fchmodat(temp->fd, "tree", modes[i], 0), 0);
		if (as_nobody(temp, "tree"))
			fail_msg("mode %03o", modes[i]);
	}
}

static void a_tree_of_5000_levels_goes_without_a_descriptor_for_each(void **state)
{
	const struct temp *temp = *state;
	int fd;

	temp_dir(temp, "tree");
	fd = openat(temp->fd, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 5000; i++) {
		int next;

		assert_int_equal(mkdirat(fd, "directory-with-a-name-that-makes-the-path-far-too-long", 0700), 0);
		next = openat(fd, "directory-with-a-name-that-makes-the-path-far-too-long", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_removes(temp, "tree");
}

static void a_wide_tree_goes_whole(void **state)
{
	const struct temp *temp = *state;

	for (int i = 0; i < 300; i++) {
		char path[64];

		snprintf(path, sizeof(path), "tree/dir%d/sub", i);
		temp_dir(temp, path);
		snprintf(path, sizeof(path), "tree/dir%d/sub/file", i);
		temp_file(temp, path, "x", 0644);
		snprintf(path, sizeof(path), "tree/file%d", i);
		temp_file(temp, path, "x", 0644);
	}
	assert_removes(temp, "tree");
}

/* In a child with mounts of its own. 77: no such can be made here. */
static int with_mount(const struct temp *temp, const char *type, const char *source)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct err err = { "" };
		char target[128];
		int r;

		snprintf(target, sizeof(target), "%s/tree/mount", temp->path);
		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
			mount(source, target, type, type ? 0 : MS_BIND, NULL))
			_exit(77);
		if (type && (mkdirat(temp->fd, "tree/mount/kept", 0755) || mkdirat(temp->fd, "tree/mount/kept/sub", 0755)))
			_exit(76);
		r = removal_tree(temp->fd, "tree", &err);
		/* The mount and what is in it stand; the rest is gone, and the error says so. */
		if (r >= 0 || !temp_has(temp, "tree/mount/kept/sub"))
			_exit(1);
		_exit(temp_has(temp, "tree/a") || temp_has(temp, "tree/z") ? 2 : 0);
	}
	return temp_wait(pid);
}

static void no_mount_is_crossed_whether_of_another_file_system_or_the_same(void **state)
{
	static const char *const types[] = { "tmpfs", NULL };
	const struct temp *temp = *state;

	for (size_t i = 0; i < 2; i++) {
		char source[128];
		int r;

		temp_dir(temp, "kept/sub");
		temp_dir(temp, "other/kept/sub");
		temp_dir(temp, "tree/a/b");
		temp_dir(temp, "tree/mount");
		temp_dir(temp, "tree/z/b");
		snprintf(source, sizeof(source), types[i] ? "none" : "%s/other", temp->path);
		r = with_mount(temp, types[i], source);
		if (r == 77)
			temp_skip("no mount can be made by this user");
		if (r)
			fail_msg("%s: %d", types[i] ? types[i] : "bind", r);
		assert_true(temp_has(temp, "other/kept/sub"));
	}
}

static void what_cannot_be_removed_is_reported_and_does_not_keep_the_rest(void **state)
{
	const struct temp *temp = *state;
	pid_t pid;

	if (geteuid() != 0)
		temp_skip("only root gives files away");
	temp_dir(temp, "tree/a/b");
	temp_dir(temp, "tree/roots/b");
	temp_dir(temp, "tree/z/b");
	give_to_nobody(temp);
	assert_int_equal(fchownat(temp->fd, "tree/roots", 0, 0, 0), 0);
	pid = fork();
	if (pid == 0) {
		struct err err = { "" };

		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(99);
		_exit(removal_tree(temp->fd, "tree", &err) == 0 || !err.text[0]);
	}
	assert_int_equal(temp_wait(pid), 0);
	assert_true(temp_has(temp, "tree/roots/b"));
	assert_false(temp_has(temp, "tree/a"));
	assert_false(temp_has(temp, "tree/z"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(a_tree_goes_with_all_that_is_in_it),
		temp_test(what_is_absent_or_no_directory_is_removed_too),
		temp_test(no_link_is_followed),
		temp_test(directories_of_any_mode_go_with_their_owners_rights),
		temp_test(a_tree_of_5000_levels_goes_without_a_descriptor_for_each),
		temp_test(a_wide_tree_goes_whole),
		temp_test(no_mount_is_crossed_whether_of_another_file_system_or_the_same),
		temp_test(what_cannot_be_removed_is_reported_and_does_not_keep_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

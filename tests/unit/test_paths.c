/* SPDX-License-Identifier: ISC */
#include "paths.h"

#include <errno.h>

#include "fixture.h"

static const struct paths_places places = { "/home/build", "/home/build", "/var/lib/stockade/tmp" };
static const struct paths_places elsewhere = { "/export/u/build", "/home/build", "/scratch/stockade" };

static void assert_each(int (*check)(const char *, const struct paths_places *, struct err *), const struct paths_places *where,
	const char *const *paths, size_t count, int expected)
{
	for (size_t i = 0; i < count; i++) {
		struct err err = { "" };

		if (check(paths[i], where, &err) != expected)
			fail_msg("%s: %s", paths[i], err.text);
		if (expected && strncmp(err.text, paths[i], strlen(paths[i])) != 0)
			fail_msg("the sentence does not name %s: %s", paths[i], err.text);
	}
}

static void no_system_tree_can_be_written_at_under_or_above(void **state)
{
	static const char *const bad[] = { "/", "/usr", "/usr/local", "/bin", "/sbin", "/etc", "/etc/x", "/proc", "/dev", "/dev/shm", "/sys", "/run",
		"/run/user/1001", "/boot", "/var", "/var/lib", "/var/lib/stockade", "/var/lib/stockade/x", "/var/run", "/lib", "/lib64", "/lib/x", "/lib32",
		"/libx32", "/libo32/y" };
	static const char *const good[] = { "/srv", "/srv/build", "/usrx", "/var/lib/stockadex", "/var/x", "/library", "/data", "/etcetera", "/opt/x" };

	(void)state;
	assert_each(paths_check_writable, &places, bad, COUNT(bad), -EINVAL);
	assert_each(paths_check_writable, &places, good, COUNT(good), 0);
}

static void home_may_hold_a_workspace_but_not_be_held(void **state)
{
	static const char *const bad[] = { "/home/build", "/home", "/home/build/.ssh", "/home/build/.x/y", "/home/build/.config" };
	static const char *const good[] = { "/home/build/work", "/home/build/a/.git", "/home/other", "/home/buildx", "/home/build/a.b" };

	(void)state;
	assert_each(paths_check_writable, &places, bad, COUNT(bad), -EINVAL);
	assert_each(paths_check_writable, &places, good, COUNT(good), 0);
}

static void home_inside_cannot_be_below_a_workspace(void **state)
{
	static const char *const bad[] = { "/home", "/export", "/export/u/build", "/export/u/build/.ssh", "/scratch", "/scratch/stockade/x" };
	static const char *const good[] = { "/home/build/x", "/export/u/build/work", "/scratch/x" };

	(void)state;
	assert_each(paths_check_writable, &elsewhere, bad, COUNT(bad), -EINVAL);
	assert_each(paths_check_writable, &elsewhere, good, COUNT(good), 0);
}

static void the_hosts_tmp_is_no_workspace_but_a_directory_in_it_may_be(void **state)
{
	static const char *const bad[] = { "/tmp", "/var/tmp" };
	static const char *const good[] = { "/tmp/x", "/var/tmp/x" };

	(void)state;
	assert_each(paths_check_writable, &places, bad, COUNT(bad), -EINVAL);
	assert_each(paths_check_writable, &places, good, COUNT(good), 0);
}

static void what_is_shown_leads_to_no_kernel_tree_and_no_private_place(void **state)
{
	static const char *const bad[] = { "/", "/run", "/run/x", "/var/run/x", "/proc", "/proc/1", "/sys/kernel", "/dev", "/dev/shm", "/var",
		"/var/lib", "/var/lib/stockade", "/tmp", "/tmp/x", "/var/tmp/x", "/home", "/home/build", "/home/build/x" };
	static const char *const good[] = { "/usr/share", "/opt", "/srv/data", "/etc/x", "/home/other", "/var/cache", "/boot" };

	(void)state;
	assert_each(paths_check_shown, &places, bad, COUNT(bad), -EINVAL);
	assert_each(paths_check_shown, &places, good, COUNT(good), 0);
	assert_int_equal(paths_check_shown("/scratch/stockade/build", &elsewhere, &(struct err){ "" }), -EINVAL);
	assert_int_equal(paths_check_shown("/scratch", &elsewhere, &(struct err){ "" }), -EINVAL);
}

static void only_places_that_nothing_private_takes_are_mirrored(void **state)
{
	(void)state;
	assert_true(paths_can_mirror("/srv/build", &places));
	assert_true(paths_can_mirror("/home/other", &places));
	assert_false(paths_can_mirror("/tmp/x", &places));
	assert_false(paths_can_mirror("/tmp", &places));
	assert_false(paths_can_mirror("/var/tmp/x", &places));
	assert_false(paths_can_mirror("/var", &places));
	assert_false(paths_can_mirror("/home/build", &places));
	assert_false(paths_can_mirror("/home/build/work", &places));
	assert_true(paths_can_mirror("/export/u/build/work", &elsewhere));
}

static void overlap_is_by_component_and_both_ways(void **state)
{
	(void)state;
	assert_true(paths_overlap("/a", "/a"));
	assert_true(paths_overlap("/a/b", "/a"));
	assert_true(paths_overlap("/a", "/a/b"));
	assert_true(paths_overlap("/", "/a"));
	assert_false(paths_overlap("/a", "/ab"));
	assert_false(paths_overlap("/a/b", "/a/c"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_system_tree_can_be_written_at_under_or_above),
		cmocka_unit_test(home_may_hold_a_workspace_but_not_be_held),
		cmocka_unit_test(home_inside_cannot_be_below_a_workspace),
		cmocka_unit_test(the_hosts_tmp_is_no_workspace_but_a_directory_in_it_may_be),
		cmocka_unit_test(what_is_shown_leads_to_no_kernel_tree_and_no_private_place),
		cmocka_unit_test(only_places_that_nothing_private_takes_are_mirrored),
		cmocka_unit_test(overlap_is_by_component_and_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

/* The workspace, a second tree, and HOME, all of the account that runs the test. */
static void open_trees(struct check *check, const struct temp *temp, const char *profile)
{
	static const char *const paths[] = { "work", "also" };
	struct facts *facts = &check->decision.facts;
	char path[4096];

	check_open(check, temp);
	check_profile_text(check, profile);
	check->decision.account.uid = getuid();
	check->decision.account.gid = getgid();
	snprintf(path, sizeof(path), "%s/home", temp->path);
	free(check->decision.account.home);
	check->decision.account.home = strdup(path);
	facts->sources = calloc(COUNT(paths), sizeof(*facts->sources));
	assert_non_null(facts->sources);
	for (size_t i = 0; i < COUNT(paths); i++) {
		snprintf(path, sizeof(path), "%s/%s", temp->path, paths[i]);
		facts->sources[facts->sources_len++] = (struct facts_source){ .use = i == 0 ? USE_WORKSPACE : USE_ALSO, .given = strdup(path),
			.source = { .path = strdup(path), .fd = -1, .kind = SOURCE_DIR } };
	}
}

static void fill(const struct temp *temp)
{
	temp_dir(temp, "work/deep");
	temp_dir(temp, "also");
	temp_dir(temp, "home");
	temp_file(temp, "work/inside", "", 0644);
	temp_file(temp, "work/both", "", 0644);
	temp_file(temp, "work/out", "", 0644);
	assert_int_equal(linkat(temp->fd, "work/inside", temp->fd, "work/deep/same", 0), 0);
	assert_int_equal(linkat(temp->fd, "work/both", temp->fd, "also/both", 0), 0);
	assert_int_equal(linkat(temp->fd, "work/out", temp->fd, "work/deep/it's out", 0), 0);
	assert_int_equal(linkat(temp->fd, "work/out", temp->fd, "home/.bashrc", 0), 0);
}

static void a_file_that_is_also_outside_is_named_once(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	fill(temp);
	open_trees(&check, temp, FIXTURE_WORKSPACE);
	check_files(&check);
	assert_int_equal(check.len, 1);
	assert_has(check_found(&check, CHECK_WORKSPACE_HARD_LINK)->what, "has 2 names in what the fence lets the account write, and 3 in all");
	assert_has(check_found(&check, CHECK_WORKSPACE_HARD_LINK)->where, "it's out");
	assert_has(check_found(&check, CHECK_WORKSPACE_HARD_LINK)->cure, "runuser -u build -- sh -c ");
	check_release(&check);
}

static void what_cannot_be_written_inside_leads_nowhere(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	fill(temp);
	open_trees(&check, temp, FIXTURE_WORKSPACE "access = read\n");
	check_files(&check);
	assert_int_equal(check.len, 0);
	check_release(&check);
	open_trees(&check, temp, FIXTURE_WORKSPACE);
	check.decision.account.uid++;
	check.decision.account.gid++;
	check_files(&check);
	assert_int_equal(check.len, 0);
	check_release(&check);
}

static void a_setuid_file_is_found_in_every_tree(void **state)
{
	static const char *const paths[] = { "work/deep/a", "also/b", "home/c" };
	const struct temp *temp = *state;
	struct check check;

	fill(temp);
	for (size_t i = 0; i < COUNT(paths); i++)
		temp_file(temp, paths[i], "", i == 2 ? 02755 : 04755);
	open_trees(&check, temp, FIXTURE_WORKSPACE "access = read\n");
	check_files(&check);
	assert_int_equal(check_count(&check, CHECK_ACCOUNT_SETUID_FILE), COUNT(paths));
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(a_file_that_is_also_outside_is_named_once),
		temp_test(what_cannot_be_written_inside_leads_nowhere),
		temp_test(a_setuid_file_is_found_in_every_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

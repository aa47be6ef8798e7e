/* SPDX-License-Identifier: ISC */
#include "admin.h"

#include "temp.h"

/* What is below the directory: names, modes, owners, texts. */
static char *tree_of(const struct temp *temp)
{
	static char texts[2][65536];
	static int turn;
	char command[512], *text = texts[turn++ % 2];
	FILE *output;
	size_t len;

	snprintf(command, sizeof(command),
		"cd '%s' && find . -mindepth 1 -printf '%%P %%y %%m %%U:%%G\\n' | sort && find . -type f -printf '%%P\\n' | sort | xargs -r -d '\\n' grep -H ''", temp->path);
	output = popen(command, "re");
	assert_non_null(output);
	len = fread(text, 1, sizeof(texts[0]) - 1, output);
	text[len] = '\0';
	pclose(output);
	return text;
}

static const char *path_of(const struct temp *temp, const char *name)
{
	static char paths[4][256];
	static int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", temp->path, name);
	return path;
}

static void assert_text(const struct temp *temp, const char *name, const char *expected)
{
	char *text = admin_read(path_of(temp, name));

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static mode_t mode_of(const struct temp *temp, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(temp->fd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

#define OK(call) \
	do { \
		struct err err = { "" }; \
		if (call) \
			fail_msg("%s: %s", #call, err.text); \
	} while (0)

static void a_file_is_written_whole_and_keeps_its_mode_when_changed(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };

	OK(admin_file(&admin, path_of(temp, "new"), "one\n", 0640, &err));
	assert_text(temp, "new", "one\n");
	assert_int_equal(mode_of(temp, "new"), 0640);
	assert_int_equal(admin.len, 1);
	OK(admin_file(&admin, path_of(temp, "new"), "two\n", 0644, &err));
	assert_text(temp, "new", "two\n");
	assert_int_equal(mode_of(temp, "new"), 0640);
	assert_false(temp_has(temp, "new.stockade-new"));
	admin_release(&admin);
	assert_text(temp, "new", "two\n");
}

static void what_is_so_already_is_no_change(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };

	temp_file(temp, "file", "a\nb\n", 0600);
	temp_dir(temp, "dir");
	OK(admin_file(&admin, path_of(temp, "file"), "a\nb\n", 0644, &err));
	OK(admin_add_line(&admin, path_of(temp, "file"), "a", 0644, &err));
	OK(admin_add_line(&admin, path_of(temp, "file"), "b", 0644, &err));
	OK(admin_remove_lines(&admin, path_of(temp, "file"), "c", &err));
	OK(admin_remove_lines(&admin, path_of(temp, "none"), "c", &err));
	OK(admin_remove_file(&admin, path_of(temp, "none"), &err));
	OK(admin_directory(&admin, path_of(temp, "dir"), 0700, (uid_t)-1, 0, &err));
	assert_int_equal(admin.len, 0);
	assert_int_equal(mode_of(temp, "dir"), 0755);
	assert_int_equal(mode_of(temp, "file"), 0600);
	assert_false(temp_has(temp, "none"));
}

static void an_empty_file_is_not_a_missing_one(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };

	OK(admin_file(&admin, path_of(temp, "empty"), "", 0644, &err));
	assert_true(temp_has(temp, "empty"));
	admin_undo(&admin);
	assert_false(temp_has(temp, "empty"));
}

static void lines_are_added_and_taken_out_whole(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };

	temp_file(temp, "deny", "alice2\nxalice\nlast", 0644);
	OK(admin_add_line(&admin, path_of(temp, "deny"), "alice", 0644, &err));
	assert_text(temp, "deny", "alice2\nxalice\nlast\nalice\n");
	OK(admin_remove_lines(&admin, path_of(temp, "deny"), "last", &err));
	OK(admin_remove_lines(&admin, path_of(temp, "deny"), "alice", &err));
	assert_text(temp, "deny", "alice2\nxalice\n");
	temp_file(temp, "deny", "alice\nbob\nalice\nalice", 0644);
	OK(admin_remove_lines(&admin, path_of(temp, "deny"), "alice", &err));
	assert_text(temp, "deny", "bob\n");
	OK(admin_add_line(&admin, path_of(temp, "made"), "alice", 0640, &err));
	assert_text(temp, "made", "alice\n");
	assert_int_equal(mode_of(temp, "made"), 0640);
	admin_release(&admin);
}

/* /etc/at.deny is root:daemon 0640: at(1) of the others reads it as that group. */
static void a_file_of_another_group_stays_of_that_group(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };
	struct stat st;

	if (geteuid() != 0)
		temp_skip("only root gives files away");
	temp_file(temp, "deny", "bob\n", 0640);
	assert_int_equal(fchownat(temp->fd, "deny", 0, 1, 0), 0);
	OK(admin_add_line(&admin, path_of(temp, "deny"), "alice", 0644, &err));
	assert_int_equal(fstatat(temp->fd, "deny", &st, 0), 0);
	assert_int_equal(st.st_gid, 1);
	assert_int_equal(st.st_mode & 07777, 0640);
	admin_undo(&admin);
	assert_text(temp, "deny", "bob\n");
	assert_int_equal(fstatat(temp->fd, "deny", &st, 0), 0);
	assert_int_equal(st.st_gid, 1);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void a_removed_file_comes_back_as_it_was(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };
	struct stat st;

	if (geteuid() != 0)
		temp_skip("only root gives files away");
	temp_file(temp, "key", "alice's\n", 0600);
	assert_int_equal(fchownat(temp->fd, "key", 1234, 5, 0), 0);
	assert_int_equal(fchmodat(temp->fd, "key", 02640, 0), 0);
	OK(admin_remove_file(&admin, path_of(temp, "key"), &err));
	assert_false(temp_has(temp, "key"));
	assert_int_equal(admin_undo(&admin), 0);
	assert_text(temp, "key", "alice's\n");
	assert_int_equal(fstatat(temp->fd, "key", &st, 0), 0);
	assert_int_equal(st.st_uid, 1234);
	assert_int_equal(st.st_gid, 5);
	assert_int_equal(st.st_mode & 07777, 02640);
}

static void what_cannot_be_taken_back_is_counted(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };

	OK(admin_file(&admin, path_of(temp, "made"), "x\n", 0644, &err));
	OK(admin_directory(&admin, path_of(temp, "dir"), 0755, (uid_t)-1, 0, &err));
	OK(admin_run(&admin, "false", &err, "/bin/true", NULL));
	temp_file(temp, "dir/in-the-way", "x", 0644);
	assert_int_equal(admin_undo(&admin), 2);
	assert_false(temp_has(temp, "made"));
}

static void a_file_with_a_nul_is_not_cut_but_left(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };
	int fd = openat(temp->fd, "deny", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	struct err err = { "" };
	struct stat st;

	assert_int_equal(write(fd, "bob\n\0carol\n", 11), 11);
	close(fd);
	assert_true(admin_add_line(&admin, path_of(temp, "deny"), "alice", 0644, &err) < 0);
	assert_non_null(strstr(err.text, "deny: cannot be read"));
	assert_int_equal(fstatat(temp->fd, "deny", &st, 0), 0);
	assert_int_equal(st.st_size, 11);
}

static void a_directory_is_made_with_its_parents_and_its_owner(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };
	struct stat st;
	uid_t uid = geteuid() == 0 ? 1234 : geteuid();

	umask(077);
	OK(admin_directory(&admin, path_of(temp, "a/b/c"), 01770, uid, getegid(), &err));
	umask(022);
	assert_int_equal(fstatat(temp->fd, "a/b/c", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 01770);
	assert_int_equal(st.st_uid, uid);
	assert_int_equal(fstatat(temp->fd, "a/b", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(st.st_uid, geteuid());
	admin_undo(&admin);
	assert_false(temp_has(temp, "a"));
}

static void what_is_no_directory_is_not_taken_for_one(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };
	struct err err = { "" };

	temp_file(temp, "file", "x", 0644);
	temp_dir(temp, "real");
	temp_link(temp, "real", "link");
	assert_int_equal(admin_directory(&admin, path_of(temp, "file"), 0755, (uid_t)-1, 0, &err), -ENOTDIR);
	assert_int_equal(admin_directory(&admin, path_of(temp, "file/below"), 0755, (uid_t)-1, 0, &err), -ENOTDIR);
	assert_int_equal(admin_directory(&admin, path_of(temp, "link/below"), 0755, (uid_t)-1, 0, &err), -ENOTDIR);
	assert_int_equal(admin.len, 0);
	assert_false(temp_has(temp, "real/below"));
}

static void a_link_is_neither_read_written_through_nor_removed_in_silence(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };
	struct err err = { "" };

	temp_file(temp, "target", "kept\n", 0644);
	temp_link(temp, "target", "link");
	assert_null(admin_read(path_of(temp, "link")));
	assert_true(admin_file(&admin, path_of(temp, "link"), "x\n", 0644, &err) < 0);
	assert_true(admin_add_line(&admin, path_of(temp, "link"), "x", 0644, &err) < 0);
	assert_true(admin_remove_lines(&admin, path_of(temp, "link"), "kept", &err) < 0);
	err.text[0] = '\0';
	assert_true(admin_remove_file(&admin, path_of(temp, "link"), &err) < 0);
	assert_non_null(strstr(err.text, "link: "));
	assert_true(temp_has(temp, "link"));
	assert_text(temp, "target", "kept\n");
	assert_int_equal(admin.len, 0);
}

static void a_program_is_run_by_its_words_and_its_failure_is_an_error(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };
	struct err why = { "" };

	OK(admin_run(&admin, NULL, &err, "/bin/sh", "-c", "printf '%s|' \"$@\" \"$PATH\" \"$HOME\" >\"$0\"", path_of(temp, "out"), "a b", "$(x)", "", NULL));
	assert_text(temp, "out", "a b|$(x)||/usr/sbin:/usr/bin:/sbin:/bin||");
	assert_int_equal(admin.len, 0);
	assert_int_equal(admin_run(&admin, "true", &why, "/bin/sh", "-c", "exit 7", NULL), -EIO);
	assert_non_null(strstr(why.text, "ended with status 7"));
	assert_int_equal(admin_run(&admin, "true", &why, "/nonexistent/program", NULL), -EIO);
	assert_non_null(strstr(why.text, "status 127"));
	assert_int_equal(admin.len, 0);
}

/* One of each kind. */
static void change_all(struct admin *admin, const struct temp *temp)
{
	char undo[256];

	OK(admin_directory(admin, path_of(temp, "d/e/f"), 0700, (uid_t)-1, 0, &err));
	OK(admin_file(admin, path_of(temp, "d/e/f/new"), "new\n", 0644, &err));
	OK(admin_file(admin, path_of(temp, "old"), "changed\n", 0644, &err));
	OK(admin_file(admin, path_of(temp, "old"), "changed again\n", 0644, &err));
	OK(admin_add_line(admin, path_of(temp, "list"), "alice", 0644, &err));
	OK(admin_remove_lines(admin, path_of(temp, "list"), "bob", &err));
	OK(admin_remove_file(admin, path_of(temp, "gone"), &err));
	snprintf(undo, sizeof(undo), "rm '%s'", path_of(temp, "d/e/ran"));
	OK(admin_run(admin, undo, &err, "/usr/bin/touch", path_of(temp, "d/e/ran"), NULL));
}

static void make_old(const struct temp *temp)
{
	temp_file(temp, "old", "as it was\nwithout end", 0600);
	temp_file(temp, "list", "bob\ncarol\n", 0644);
	temp_file(temp, "gone", "to be removed\n", 0640);
}

static void every_change_is_undone(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };
	char *before, *changed;

	make_old(temp);
	before = tree_of(temp);
	change_all(&admin, temp);
	assert_text(temp, "old", "changed again\n");
	assert_text(temp, "list", "carol\nalice\n");
	assert_false(temp_has(temp, "gone"));
	assert_true(temp_has(temp, "d/e/ran"));
	admin_undo(&admin);
	changed = tree_of(temp);
	assert_string_equal(before, changed);
	assert_int_equal(admin.len, 0);
	admin_undo(&admin);
	admin_release(&admin);
}

static void the_last_change_is_undone_first(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };

	for (int i = 1; i <= 3; i++) {
		char undo[256];

		snprintf(undo, sizeof(undo), "printf %d >>'%s'", i, path_of(temp, "order"));
		OK(admin_run(&admin, undo, &err, "/bin/true", NULL));
	}
	admin_undo(&admin);
	assert_text(temp, "order", "321");
}

static void an_undo_that_fails_does_not_keep_the_others(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };

	OK(admin_file(&admin, path_of(temp, "first"), "x", 0644, &err));
	OK(admin_directory(&admin, path_of(temp, "full"), 0755, (uid_t)-1, 0, &err));
	OK(admin_run(&admin, "exit 3", &err, "/bin/true", NULL));
	temp_file(temp, "full/of-another", "kept", 0644);
	admin_undo(&admin);
	assert_false(temp_has(temp, "first"));
	assert_true(temp_has(temp, "full/of-another"));
}

static void a_dry_run_changes_nothing_and_notes_nothing(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .is_dry = true };
	char *before, *after;

	make_old(temp);
	before = tree_of(temp);
	change_all(&admin, temp);
	after = tree_of(temp);
	assert_string_equal(before, after);
	assert_int_equal(admin.len, 0);
	OK(admin_run(&admin, NULL, &err, "/bin/false", NULL));
}

static void more_changes_than_can_be_undone_are_not_made(void **state)
{
	const struct temp *temp = *state;
	struct admin admin = { .len = 0 };
	struct err why = { "" };

	for (int i = 0; i < ADMIN_CHANGES_MAX; i++) {
		char name[32];

		snprintf(name, sizeof(name), "file%d", i);
		OK(admin_file(&admin, path_of(temp, name), "x", 0644, &err));
	}
	assert_int_equal(admin_file(&admin, path_of(temp, "over"), "x", 0644, &why), -E2BIG);
	assert_false(temp_has(temp, "over"));
	assert_true(admin_remove_file(&admin, path_of(temp, "file0"), &why) < 0);
	assert_true(temp_has(temp, "file0"));
	admin_undo(&admin);
	assert_false(temp_has(temp, "file0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(a_file_is_written_whole_and_keeps_its_mode_when_changed),
		temp_test(what_is_so_already_is_no_change),
		temp_test(an_empty_file_is_not_a_missing_one),
		temp_test(lines_are_added_and_taken_out_whole),
		temp_test(a_file_of_another_group_stays_of_that_group),
		temp_test(a_removed_file_comes_back_as_it_was),
		temp_test(what_cannot_be_taken_back_is_counted),
		temp_test(a_file_with_a_nul_is_not_cut_but_left),
		temp_test(a_directory_is_made_with_its_parents_and_its_owner),
		temp_test(what_is_no_directory_is_not_taken_for_one),
		temp_test(a_link_is_neither_read_written_through_nor_removed_in_silence),
		temp_test(a_program_is_run_by_its_words_and_its_failure_is_an_error),
		temp_test(every_change_is_undone),
		temp_test(the_last_change_is_undone_first),
		temp_test(an_undo_that_fails_does_not_keep_the_others),
		temp_test(a_dry_run_changes_nothing_and_notes_nothing),
		temp_test(more_changes_than_can_be_undone_are_not_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

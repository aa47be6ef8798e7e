/* SPDX-License-Identifier: ISC */
#include "source.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "temp.h"

#define FOREIGN 12345

static uid_t owner(void)
{
	return geteuid();
}

static void assert_opens(const struct temp *temp, const char *path, const char *canonical, enum source_kind kind, const char *loose)
{
	_cleanup_source_ struct source source = SOURCE_INIT;
	struct err err = { "" };

	if (source_open(&source, temp->fd, path, owner(), &err))
		fail_msg("%s: %s", path, err.text);
	assert_string_equal(source.path, canonical);
	assert_int_equal(source.kind, kind);
	assert_string_equal(source.loose, loose);
	assert_int_equal(source.fd >= 0, kind != SOURCE_ABSENT);
}

static void assert_refuses(const struct temp *temp, const char *path, int expected, const char *sentence)
{
	_cleanup_source_ struct source source = SOURCE_INIT;
	struct err err = { "" };
	int r = source_open(&source, temp->fd, path, owner(), &err);

	if (r != expected || !strstr(err.text, sentence))
		fail_msg("%s: %d %s", path, r, err.text);
	assert_int_equal(source.fd, -1);
	assert_null(source.path);
}

static void paths_are_opened_by_kind(void **state)
{
	const struct temp *temp = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	temp_dir(temp, "a/b");
	temp_file(temp, "a/file", "x", 0644);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.60s/a/socket", temp->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(mkfifoat(temp->fd, "a/fifo", 0644), 0);
	assert_opens(temp, "/a/b", "/a/b", SOURCE_DIR, "");
	assert_opens(temp, "/a/file", "/a/file", SOURCE_FILE, "");
	assert_opens(temp, "/a/socket", "/a/socket", SOURCE_SOCKET, "");
	assert_opens(temp, "/a/fifo", "/a/fifo", SOURCE_OTHER, "");
	assert_opens(temp, "/", "/", SOURCE_DIR, "");
	assert_opens(temp, "/a//b/.", "/a/b", SOURCE_DIR, "");
}

static void what_is_absent_is_no_error_and_keeps_its_path(void **state)
{
	const struct temp *temp = *state;

	temp_file(temp, "file", "x", 0644);
	temp_link(temp, "nowhere", "dangling");
	assert_opens(temp, "/none/of/this", "/none/of/this", SOURCE_ABSENT, "");
	assert_opens(temp, "/file/below", "/file/below", SOURCE_ABSENT, "");
	assert_opens(temp, "/dangling", "/dangling", SOURCE_ABSENT, "");
}

static void owners_links_are_followed_to_the_canonical_path(void **state)
{
	const struct temp *temp = *state;

	temp_dir(temp, "a/b/c");
	temp_link(temp, "b/c", "a/relative");
	temp_link(temp, "/a/b", "absolute");
	temp_link(temp, "../absolute/c", "a/up");
	temp_link(temp, "/../../../a", "above");
	assert_opens(temp, "/a/relative", "/a/b/c", SOURCE_DIR, "");
	assert_opens(temp, "/absolute/c", "/a/b/c", SOURCE_DIR, "");
	assert_opens(temp, "/a/up", "/a/b/c", SOURCE_DIR, "");
	assert_opens(temp, "/above/b", "/a/b", SOURCE_DIR, "");
	assert_opens(temp, "/a/b/../../a", "/a", SOURCE_DIR, "");
}

static void the_root_descriptor_is_never_left(void **state)
{
	const struct temp *temp = *state;

	temp_link(temp, "/etc", "outside");
	temp_link(temp, "../../../../../../etc", "up");
	assert_opens(temp, "/outside/passwd", "/outside/passwd", SOURCE_ABSENT, "");
	assert_opens(temp, "/up/passwd", "/up/passwd", SOURCE_ABSENT, "");
	assert_opens(temp, "/../../etc/passwd", "/../../etc/passwd", SOURCE_ABSENT, "");
}

static void a_directory_that_others_can_write_is_named_as_loose(void **state)
{
	const struct temp *temp = *state;

	temp_dir(temp, "a/open/b/also");
	assert_int_equal(fchmodat(temp->fd, "a/open", 0775, 0), 0);
	assert_opens(temp, "/a/open/b", "/a/open/b", SOURCE_DIR, "/a/open");
	assert_int_equal(fchmodat(temp->fd, "a/open", 01777, 0), 0);
	assert_int_equal(fchmodat(temp->fd, "a/open/b", 0777, 0), 0);
	assert_opens(temp, "/a/open/b/also", "/a/open/b/also", SOURCE_DIR, "/a/open");
}

static void whether_the_last_component_is_loose_is_told(void **state)
{
	const struct temp *temp = *state;
	_cleanup_source_ struct source source = SOURCE_INIT;

	temp_dir(temp, "a/b");
	assert_int_equal(fchmodat(temp->fd, "a", 0777, 0), 0);
	assert_int_equal(source_open(&source, temp->fd, "/a/b", owner(), &(struct err){ "" }), 0);
	assert_false(source.is_last_loose);
	source_release(&source);
	assert_int_equal(source_open(&source, temp->fd, "/a", owner(), &(struct err){ "" }), 0);
	assert_true(source.is_last_loose);
}

static void no_link_is_followed_below_a_directory_others_can_write(void **state)
{
	const struct temp *temp = *state;

	temp_dir(temp, "a/open/real");
	temp_link(temp, "real", "a/open/link");
	temp_link(temp, "/a/open", "to");
	assert_opens(temp, "/a/open/link", "/a/open/real", SOURCE_DIR, "");
	assert_int_equal(fchmodat(temp->fd, "a/open", 0777, 0), 0);
	assert_refuses(temp, "/a/open/link", -ELOOP, "/a/open/link: is a link that others can replace");
	assert_refuses(temp, "/to/link", -ELOOP, "is a link that others can replace");
	/* Also not on the way back up and out of it. */
	temp_link(temp, "a", "safe");
	assert_opens(temp, "/safe/open/real", "/a/open/real", SOURCE_DIR, "/a/open");
	assert_refuses(temp, "/a/open/../../safe", -ELOOP, "is a link that others can replace");
}

static void another_users_directory_and_link_are_loose(void **state)
{
	const struct temp *temp = *state;

	if (geteuid() != 0)
		temp_skip("only root gives files away");
	temp_dir(temp, "a/theirs/b");
	temp_link(temp, "b", "a/theirs/link");
	temp_link(temp, "a", "theirlink");
	assert_int_equal(fchownat(temp->fd, "a/theirs", FOREIGN, FOREIGN, 0), 0);
	assert_int_equal(fchownat(temp->fd, "theirlink", FOREIGN, FOREIGN, AT_SYMLINK_NOFOLLOW), 0);
	assert_opens(temp, "/a/theirs/b", "/a/theirs/b", SOURCE_DIR, "/a/theirs");
	assert_refuses(temp, "/a/theirs/link", -ELOOP, "/a/theirs/link: is a link");
	assert_refuses(temp, "/theirlink", -ELOOP, "/theirlink: is a link");
}

static void links_in_a_circle_and_overlong_paths_are_refused(void **state)
{
	const struct temp *temp = *state;
	char path[5000];

	temp_link(temp, "two", "one");
	temp_link(temp, "one", "two");
	temp_link(temp, "self/x", "self");
	assert_refuses(temp, "/one", -ELOOP, "too many links");
	assert_refuses(temp, "/self", -ELOOP, "too many links");
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_refuses(temp, path, -ENAMETOOLONG, "too long");
	path[300] = '\0';
	assert_refuses(temp, path, -ENAMETOOLONG, "too long");
}

static void assert_trusted(const struct temp *temp, const char *path, int expected)
{
	struct err err = { "" };
	int fd = -1, r = source_open_trusted(temp->fd, path, owner(), &fd, &err);

	if (r != expected)
		fail_msg("%s: %d %s", path, r, err.text);
	assert_int_equal(fd >= 0, r == 0);
	if (r && !err.text[0])
		fail_msg("%s: no sentence", path);
	if (fd >= 0)
		close(fd);
}

static void a_trusted_file_is_the_owners_alone_and_reached_without_a_link(void **state)
{
	const struct temp *temp = *state;

	temp_dir(temp, "etc/open");
	temp_file(temp, "etc/good", "x", 0644);
	temp_file(temp, "etc/group", "x", 0664);
	temp_file(temp, "etc/world", "x", 0646);
	temp_file(temp, "etc/open/x", "x", 0644);
	temp_link(temp, "good", "etc/link");
	temp_link(temp, "etc", "dirlink");
	assert_int_equal(mkfifoat(temp->fd, "etc/fifo", 0600), 0);
	assert_int_equal(fchmodat(temp->fd, "etc/open", 0777, 0), 0);
	assert_trusted(temp, "/etc/good", 0);
	assert_trusted(temp, "/etc/none", -ENOENT);
	assert_trusted(temp, "/etc/group", -EPERM);
	assert_trusted(temp, "/etc/world", -EPERM);
	assert_trusted(temp, "/etc/open/x", -EPERM);
	assert_trusted(temp, "/etc/link", -ELOOP);
	assert_trusted(temp, "/dirlink/good", -ELOOP);
	assert_trusted(temp, "/etc", -EINVAL);
	assert_trusted(temp, "/etc/fifo", -EINVAL);
}

static void a_trusted_file_is_read_from_its_start_and_not_inherited(void **state)
{
	const struct temp *temp = *state;
	char text[8] = "";
	int fd = -1;

	temp_file(temp, "file", "abc", 0600);
	assert_int_equal(source_open_trusted(temp->fd, "/file", owner(), &fd, &(struct err){ "" }), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "abc");
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
}

static void assert_tool(const struct temp *temp, const char *path, int expected)
{
	struct err err = { "" };
	int r = source_check_tool(temp->fd, path, owner(), &err);

	if (r != expected)
		fail_msg("%s: %d %s", path, r, err.text);
}

static void a_tool_is_executable_for_all_and_neither_setuid_nor_setgid(void **state)
{
	const struct temp *temp = *state;

	temp_dir(temp, "bin");
	temp_file(temp, "bin/good", "x", 0755);
	temp_file(temp, "bin/setuid", "x", 04755);
	temp_file(temp, "bin/setgid", "x", 02755);
	temp_file(temp, "bin/plain", "x", 0644);
	temp_file(temp, "bin/writable", "x", 0775);
	temp_link(temp, "good", "bin/link");
	assert_tool(temp, "/bin/good", 0);
	assert_tool(temp, "/bin/link", 0);
	assert_tool(temp, "/bin/setuid", -EPERM);
	assert_tool(temp, "/bin/setgid", -EPERM);
	assert_tool(temp, "/bin/plain", -EACCES);
	assert_tool(temp, "/bin/writable", -EPERM);
	assert_tool(temp, "/bin/none", -ENOENT);
	assert_tool(temp, "/bin", -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(paths_are_opened_by_kind),
		temp_test(what_is_absent_is_no_error_and_keeps_its_path),
		temp_test(owners_links_are_followed_to_the_canonical_path),
		temp_test(the_root_descriptor_is_never_left),
		temp_test(a_directory_that_others_can_write_is_named_as_loose),
		temp_test(whether_the_last_component_is_loose_is_told),
		temp_test(no_link_is_followed_below_a_directory_others_can_write),
		temp_test(another_users_directory_and_link_are_loose),
		temp_test(links_in_a_circle_and_overlong_paths_are_refused),
		temp_test(a_trusted_file_is_the_owners_alone_and_reached_without_a_link),
		temp_test(a_trusted_file_is_read_from_its_start_and_not_inherited),
		temp_test(a_tool_is_executable_for_all_and_neither_setuid_nor_setgid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

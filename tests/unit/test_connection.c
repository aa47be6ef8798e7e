/* SPDX-License-Identifier: ISC */
/*
 * Records in a /run of the test's own. Root only, but for what is asked of sshd's own note.
 */
#include "connection.h"

#include "private_system.h"
#include "process.h"

#define UID 1234u

static void system_runtime(void)
{
	if (geteuid() != 0 || mount("none", "/run", "tmpfs", 0, "mode=0755"))
		_exit(NO_SYSTEM);
}

static struct connection connection_of(pid_t pid, const char *id)
{
	struct connection connection = { .pid = pid, .lost = 5, .has_size = true, .dir = "/var/lib/stockade/tmp", .from = "192.0.2.7" };
	struct process process;

	CHECK(process_read(&process, pid) == 0);
	connection.start = process.start;
	strcpy(connection.id, id);
	strcpy(connection.auth, "publickey ssh-ed25519 AAAA\npassword\n");
	return connection;
}

static void write_it(const struct connection *connection)
{
	struct err err = { "" };

	if (connection_write(connection, UID, UID, &err)) {
		fprintf(stderr, "%s\n", err.text);
		_exit(1);
	}
}

static void check_read_back(void)
{
	struct connection written, read;
	struct err err = { "" };
	struct stat st;

	system_runtime();
	written = connection_of(getpid(), "k3v9q2m7");
	write_it(&written);
	CHECK(connection_read(&read, UID, "k3v9q2m7", &err) == 0);
	CHECK(strcmp(read.id, "k3v9q2m7") == 0);
	CHECK(read.pid == written.pid && read.start == written.start && read.lost == 5 && read.has_size);
	CHECK(strcmp(read.dir, written.dir) == 0);
	CHECK(strcmp(read.from, written.from) == 0);
	CHECK(strcmp(read.auth, written.auth) == 0);
	CHECK(stat("/run/stockade/1234/k3v9q2m7", &st) == 0);
	CHECK(st.st_uid == 0 && st.st_gid == UID && (st.st_mode & 07777) == 0640);
	CHECK(access("/run/stockade/1234/.k3v9q2m7", F_OK) < 0);
	CHECK(stat("/run/stockade/1234", &st) == 0 && st.st_uid == 0 && !(st.st_mode & 022));
	connection_remove(UID, "k3v9q2m7");
	CHECK(connection_read(&read, UID, "k3v9q2m7", &err) == -ENOENT);
	CHECK(connection_read(&read, 4321, "k3v9q2m7", &err) == -ENOENT);
}

static void what_is_written_is_read_back_by_root_and_the_group_only(void **state)
{
	(void)state;
	system_run(check_read_back);
}

static void check_long_auth(void)
{
	static struct connection written, read;
	struct err err = { "" };

	system_runtime();
	written = connection_of(getpid(), "long");
	memset(written.auth, 'A', sizeof(written.auth) - 1);
	write_it(&written);
	CHECK(connection_read(&read, UID, "long", &err) == 0);
	CHECK(strcmp(read.auth, written.auth) == 0);
	written.auth[0] = '\0';
	strcpy(written.id, "none");
	write_it(&written);
	CHECK(connection_read(&read, UID, "none", &err) == 0);
	CHECK(!read.auth[0]);
}

static void the_longest_note_and_none_are_read_back(void **state)
{
	(void)state;
	system_run(check_long_auth);
}

#define REST "lost=0\nsize=0\ndir=/d\nfrom=-\nauth="
#define GOOD "pid=7\nstart=8\n" REST

static int read_made(const char *text, mode_t mode, uid_t uid)
{
	struct connection connection;
	struct err err = { "" };

	system_write("/run/stockade/1234/made", text, mode);
	CHECK(chown("/run/stockade/1234/made", uid, 0) == 0);
	return connection_read(&connection, UID, "made", &err);
}

static void check_not_roots(void)
{
	struct connection connection;
	struct err err = { "" };

	system_runtime();
	CHECK(mkdir("/run/stockade", 0755) == 0 && mkdir("/run/stockade/1234", 0755) == 0);
	CHECK(read_made(GOOD, 0640, 0) == 0);
	CHECK(read_made(GOOD, 0640, UID) == -EPERM);
	CHECK(read_made(GOOD, 0660, 0) == -EPERM);
	CHECK(read_made(GOOD, 0646, 0) == -EPERM);
	CHECK(unlink("/run/stockade/1234/made") == 0);
	system_write("/run/target", GOOD, 0640);
	CHECK(symlink("/run/target", "/run/stockade/1234/made") == 0);
	CHECK(connection_read(&connection, UID, "made", &err) < 0);
	CHECK(unlink("/run/stockade/1234/made") == 0);
	CHECK(read_made(GOOD, 0640, 0) == 0);
	CHECK(chown("/run/stockade/1234", UID, UID) == 0);
	CHECK(connection_read(&connection, UID, "made", &err) == -EPERM);
}

static void a_record_that_is_not_roots_alone_is_refused(void **state)
{
	(void)state;
	system_run(check_not_roots);
}

static void check_broken(void)
{
	static const char *const texts[] = { "\n", "pid=7\n", "start=8\n" REST, "pid=\nstart=8\n" REST, "pid=-1\nstart=8\n" REST, "pid=7x\nstart=8\n" REST,
		"pid=99999999999\nstart=8\n" REST, "pid=7\nstart=8\nlost=0\nsize=2\ndir=/d\nfrom=-\nauth=", "pid=7\nstart=8\nlost=0\nsize=0\nfrom=-\nauth=",
		"pid=7\nstart=8\nlost=0\nsize=0\ndir=/d\nauth=", "pid=7\nstart=8\nlost=0\nsize=0\ndir=/d\nfrom=-\n", "xpid=7\nstart=8\n" REST };
	static const char *const names[] = { "", ".", "..", "../1234/made", "a/b", "/run/stockade/1234/made", ".made",
		"a234567890123456789012345678901234567890123456789012345678901234" };
	struct connection connection;
	struct err err = { "" };

	system_runtime();
	CHECK(mkdir("/run/stockade", 0755) == 0 && mkdir("/run/stockade/1234", 0755) == 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (read_made(texts[i], 0640, 0) != -EINVAL) {
			fprintf(stderr, "taken: %s\n", texts[i]);
			_exit(1);
		}
	CHECK(read_made(GOOD, 0640, 0) == 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CHECK(connection_read(&connection, UID, names[i], &err) == -EINVAL);
}

static void a_broken_record_and_a_name_that_is_a_path_are_refused(void **state)
{
	(void)state;
	system_run(check_broken);
}

/* From a grandchild of the process that the record names: 0 and the id, or what find gave. */
static int find_below(const char *id, int levels)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct connection connection;
		struct err err = { "" };
		int r;

		if (levels > 1)
			_exit(find_below(id, levels - 1));
		r = connection_find(&connection, UID, &err);
		_exit(r == 0 && strcmp(connection.id, id) == 0 ? 0 : r == -ENOENT && !connection.id[0] ? 2 : 3);
	}
	return temp_wait(pid);
}

static void check_ancestry(void)
{
	struct connection mine, other;
	pid_t stranger;

	system_runtime();
	CHECK(find_below("mine", 1) == 2);
	stranger = fork();
	if (stranger == 0) {
		pause();
		_exit(0);
	}
	other = connection_of(stranger, "other");
	write_it(&other);
	CHECK(find_below("other", 1) == 2);
	mine = connection_of(getpid(), "mine");
	write_it(&mine);
	CHECK(find_below("mine", 1) == 0);
	CHECK(find_below("mine", 2) == 0);
	CHECK(find_below("mine", 4) == 0);
	/* The pid alone is not enough: it may have been another's before. */
	connection_remove(UID, "mine");
	mine.start++;
	write_it(&mine);
	CHECK(find_below("mine", 1) == 2);
	/* Nor is a record of another account's. */
	mine.start--;
	connection_remove(UID, "mine");
	CHECK(connection_write(&mine, 4321, 4321, &(struct err){ "" }) == 0);
	CHECK(find_below("mine", 1) == 2);
	kill(stranger, SIGKILL);
	temp_wait(stranger);
}

static void a_connection_is_found_by_descent_from_its_very_process(void **state)
{
	(void)state;
	system_run(check_ancestry);
}

static void check_forged(void)
{
	struct connection mine;

	system_runtime();
	mine = connection_of(getpid(), "mine");
	write_it(&mine);
	CHECK(find_below("mine", 1) == 0);
	CHECK(chown("/run/stockade/1234/mine", UID, UID) == 0);
	CHECK(find_below("mine", 1) == 2);
}

static void a_record_of_the_accounts_own_making_makes_no_connection(void **state)
{
	(void)state;
	system_run(check_forged);
}

struct seen {
	int readable, unreadable;
};

static bool see(void *data, const struct connection *connection)
{
	struct seen *seen = data;

	CHECK(connection->id[0]);
	if (connection->pid)
		seen->readable++;
	else
		seen->unreadable++;
	return false;
}

static void check_each(void)
{
	struct seen seen = { 0, 0 };
	struct connection connection;

	system_runtime();
	CHECK(connection_each(UID, &connection, see, &seen) == -ENOENT);
	connection = connection_of(getpid(), "one");
	write_it(&connection);
	strcpy(connection.id, "two");
	write_it(&connection);
	system_write("/run/stockade/1234/broken", "x", 0640);
	system_write("/run/stockade/1234/.part", GOOD, 0640);
	CHECK(connection_each(UID, &connection, see, &seen) == 0);
	CHECK(seen.readable == 2 && seen.unreadable == 1);
}

static void each_record_is_told_the_broken_ones_without_a_process(void **state)
{
	(void)state;
	system_run(check_each);
}

static int read_auth(const char *path, char *auth, size_t size)
{
	return connection_read_auth(path, geteuid(), auth, size, &(struct err){ "" });
}

/* In the real /tmp: the path is a constant of sshd's. */
static void sshds_note_is_read_where_it_is_a_private_file_of_the_accounts(void **state)
{
	const struct temp *temp = *state;
	char path[] = "/tmp/sshauth.XXXXXX", link[64], below[128], auth[64];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "publickey x y\n", 14), 14);
	close(fd);
	snprintf(link, sizeof(link), "%s.link", path);
	snprintf(below, sizeof(below), "%s/sshauth.x", temp->path);
	temp_file(temp, "sshauth.x", "publickey x y\n", 0600);
	assert_int_equal(read_auth(path, auth, sizeof(auth)), 0);
	assert_string_equal(auth, "publickey x y\n");
	assert_int_equal(read_auth(path, auth, 10), 0);
	assert_string_equal(auth, "publickey");
	assert_int_equal(connection_read_auth(path, geteuid() + 1, auth, sizeof(auth), &(struct err){ "" }), -EPERM);
	assert_string_equal(auth, "");
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(read_auth(link, auth, sizeof(auth)), -ELOOP);
	unlink(link);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(read_auth(path, auth, sizeof(auth)), -EPERM);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(linkat(AT_FDCWD, path, AT_FDCWD, link, 0), 0);
	assert_int_equal(read_auth(path, auth, sizeof(auth)), -EPERM);
	unlink(link);
	assert_int_equal(read_auth(below, auth, sizeof(auth)), -EPERM);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(read_auth(path, auth, sizeof(auth)), -EPERM);
	unlink(path);
	assert_int_equal(read_auth(path, auth, sizeof(auth)), -ENOENT);
	assert_string_equal(auth, "");
}

static void a_path_that_is_not_sshds_is_not_opened(void **state)
{
	static const char *const paths[] = { "", "/etc/passwd", "/tmp/sshauth", "tmp/sshauth.x", "/tmp/sshauth.x/y", "/tmp/sshauth./../../etc/passwd", "/tmp/xsshauth.x",
		"/var/tmp/sshauth.x", "//tmp/sshauth.x" };
	char auth[64] = "before";

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(read_auth(paths[i], auth, sizeof(auth)), -EPERM);
	assert_int_equal(read_auth(NULL, auth, sizeof(auth)), 0);
	assert_string_equal(auth, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_back_by_root_and_the_group_only),
		cmocka_unit_test(the_longest_note_and_none_are_read_back),
		cmocka_unit_test(a_record_that_is_not_roots_alone_is_refused),
		cmocka_unit_test(a_broken_record_and_a_name_that_is_a_path_are_refused),
		cmocka_unit_test(a_connection_is_found_by_descent_from_its_very_process),
		cmocka_unit_test(a_record_of_the_accounts_own_making_makes_no_connection),
		cmocka_unit_test(each_record_is_told_the_broken_ones_without_a_process),
		temp_test(sshds_note_is_read_where_it_is_a_private_file_of_the_accounts),
		cmocka_unit_test(a_path_that_is_not_sshds_is_not_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

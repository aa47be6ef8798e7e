/* SPDX-License-Identifier: ISC */
/*
 * Whole requests on a system of the test's own: profile, log, private directories, and the real bwrap. Without systemd
 * inside, so at grade partial; the scope and its limits are the system tests'.
 */
#include "serve.h"

#include "private_system.h"

#define WORKSPACE "[workspace]\npath = /srv/build\n"
#define PARTIAL WORKSPACE "[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n[tmp]\nfloor = -\n"

struct served {
	int status, log_fd;
	char out[4096], err[4096];
};

static void read_all(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);

	text[len > 0 ? len : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* In a process of its own, as sshd would start it; as nobody unless it is to be root. */
static void serve_as(struct served *served, uid_t uid, const char *command, const char *const *environment)
{
	pid_t pid = fork();

	if (pid == 0) {
		static char *const argv[] = { (char *)"stockade-gateway", NULL };
		static const char *const nothing[] = { NULL };
		const struct serve_input input = { .request = { .argc = 1, .argv = argv, .original_command = command, .connection = "192.0.2.7 5 ::1 22" },
			.environment = environment ? environment : nothing };
		int in = open("/dev/null", O_RDONLY), out = open("/mnt/out", O_WRONLY | O_CREAT | O_TRUNC, 0600),
		    err = open("/mnt/err", O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (dup2(in, 0) || dup2(out, 1) != 1 || dup2(err, 2) != 2 || close_range(3, ~0u, 0) || setgid(uid) || setuid(uid))
			_exit(99);
		clearenv();
		_exit(serve(&input));
	}
	served->status = temp_wait(pid);
	read_all("/mnt/out", served->out, sizeof(served->out));
	read_all("/mnt/err", served->err, sizeof(served->err));
}

static void serve_command(struct served *served, const char *command)
{
	serve_as(served, SYSTEM_USER, command, NULL);
}

static void check_record(const struct served *served, const char *event, const char *part)
{
	char expected[64];
	const char *record = system_record(served->log_fd);

	snprintf(expected, sizeof(expected), ": %s session=", event);
	if (!strstr(record, expected) || !strstr(record, part)) {
		fprintf(stderr, "wanted: %s ... %s\ngot: %s\n", event, part, record);
		_exit(1);
	}
}

/* Refused: one record, one line on standard error, nothing on standard output, and nothing ran. */
static void check_refusal(struct served *served, const char *command, int status, const char *part)
{
	serve_command(served, command);
	if (served->status != status)
		fprintf(stderr, "status %d: %s", served->status, served->err);
	CHECK(served->status == status);
	CHECK(!served->out[0]);
	CHECK(strncmp(served->err, "stockade: ", 10) == 0 && strchr(served->err, '\n') == served->err + strlen(served->err) - 1);
	CHECK(strstr(served->err, " [session "));
	check_record(served, "refuse", part);
	CHECK(!system_record(served->log_fd)[0]);
	CHECK(access("/srv/build/marker", F_OK) < 0);
}

static void check_refusals(void)
{
	struct served served;

	system_host();
	served.log_fd = system_log();
	check_refusal(&served, "touch marker", 126, "reason=profile stage=profile detail=\"/etc/stockade/profiles: no profile for user nobody\"");
	system_profile(WORKSPACE "[nonsense]\na = b\n");
	check_refusal(&served, "touch marker", 126, "nobody.ini:4: [nonsense] a: ");
	system_profile(PARTIAL "[allow]\nls = ls\n");
	check_refusal(&served, "touch marker", 126, "reason=rule");
	system_profile(WORKSPACE);
	check_refusal(&served, "touch marker", 126, "reason=grade stage=limits");
	system_profile(PARTIAL "[view]\nread = /nonexistent\n");
	check_refusal(&served, "touch marker", 126, "/nonexistent: does not exist");
	system_profile(PARTIAL);
	CHECK(chmod("/var/lib/stockade/tmp/nobody", 0755) == 0);
	check_refusal(&served, "touch marker", 125, "reason=session");
	CHECK(chmod("/var/lib/stockade/tmp/nobody", 0700) == 0);
	CHECK(chmod("/etc/stockade/profiles/nobody.ini", 0666) == 0);
	check_refusal(&served, "touch marker", 126, "is not root's, or others can write it");
}

static void what_is_refused_is_logged_told_in_one_line_and_not_run(void **state)
{
	(void)state;
	system_run(check_refusals);
}

/* A disk of the private directories' own. */
static void tiny_disk(const char *options)
{
	if (mount("none", "/var/lib/stockade/tmp", "tmpfs", 0, options) || mkdir("/var/lib/stockade/tmp/nobody", 0700) ||
		chown("/var/lib/stockade/tmp/nobody", SYSTEM_USER, SYSTEM_USER))
		_exit(NO_SYSTEM);
}

static void check_full_disk(void)
{
	struct served served;
	int fd;

	system_host();
	served.log_fd = system_log();
	tiny_disk("size=128k,mode=0755");
	fd = open("/var/lib/stockade/tmp/filled", O_WRONLY | O_CREAT, 0600);
	while (write(fd, served.out, sizeof(served.out)) > 0)
		;
	close(fd);
	system_profile(PARTIAL);
	check_refusal(&served, "touch marker", 126, "reason=disk stage=place");
	system_profile(WORKSPACE "[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n");
	check_refusal(&served, "touch marker", 126, "reason=disk stage=disk");
	CHECK(unlink("/var/lib/stockade/tmp/filled") == 0);
	serve_command(&served, "true");
	CHECK(served.status == 0);
	check_record(&served, "start", "");
	check_record(&served, "end", "");
	system_profile(PARTIAL);
	/* The root of the file system and the account's directory are two, then the directory of the runs, a run, its own, the next ones. */
	for (int inodes = 2; inodes < 8; inodes++) {
		char options[64];

		snprintf(options, sizeof(options), "nr_inodes=%d,mode=0755", inodes);
		tiny_disk(options);
		check_refusal(&served, "touch marker", 126, "reason=disk");
	}
}

static void a_full_disk_is_told_as_such_wherever_it_is_met(void **state)
{
	(void)state;
	system_run(check_full_disk);
}

static void check_root(void)
{
	struct served served;

	system_host();
	served.log_fd = system_log();
	system_profile(PARTIAL);
	serve_as(&served, 0, "touch /srv/build/marker", NULL);
	CHECK(served.status == 126);
	check_record(&served, "refuse", "reason=request stage=request detail=\"root is not confined");
	CHECK(access("/srv/build/marker", F_OK) < 0);
}

static void root_is_not_served(void **state)
{
	(void)state;
	system_run(check_root);
}

static void check_no_log(void)
{
	struct served served;

	system_host();
	system_profile(PARTIAL);
	serve_command(&served, "touch marker");
	CHECK(served.status == 125);
	CHECK(strstr(served.err, "system log cannot be reached"));
	CHECK(access("/srv/build/marker", F_OK) < 0);
	system_profile(PARTIAL "[allow]\nls = ls\n");
	serve_command(&served, "touch marker");
	CHECK(served.status == 125);
}

static void without_a_log_nothing_runs(void **state)
{
	(void)state;
	system_run(check_no_log);
}

/* The fence stands here, or the test has nothing to look at. */
static void open_running(struct served *served)
{
	system_host();
	served->log_fd = system_log();
	system_profile(PARTIAL);
	serve_command(served, "true");
	if (served->status == 125)
		_exit(NO_SYSTEM);
	check_record(served, "start", "kind=exec profile=nobody.ini");
	check_record(served, "end", "by=payload exit=0 signal=-");
	CHECK(!system_record(served->log_fd)[0]);
}

static bool is_left(const char *command)
{
	return system(command) != 0;
}

static void check_run(void)
{
	static const int codes[] = { 0, 1, 2, 42, 124, 125, 126, 127, 128, 129, 137, 255 };
	struct served served;

	open_running(&served);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		char command[64], part[32];

		snprintf(command, sizeof(command), "echo out; echo err >&2; exit %d", codes[i]);
		snprintf(part, sizeof(part), "exit=%d ", codes[i]);
		serve_command(&served, command);
		CHECK(served.status == codes[i]);
		CHECK(strcmp(served.out, "out\n") == 0 && strcmp(served.err, "err\n") == 0);
		check_record(&served, "start", "grade=partial lacks=");
		check_record(&served, "end", part);
		CHECK(!system_record(served.log_fd)[0]);
	}
	CHECK(!is_left("test -z \"$(ls -A /var/lib/stockade/tmp/nobody | grep -v '^runs$')\""));
	CHECK(!is_left("test -z \"$(ls -A /var/lib/stockade/tmp/nobody/runs)\""));
}

static void exit_statuses_and_streams_arrive_and_nothing_is_left(void **state)
{
	(void)state;
	system_run(check_run);
}

static void check_fence(void)
{
	static const char *const environment[] = { "CANARY=secret", "LD_PRELOAD=/x.so", "CI_JOB=7", NULL };
	struct served served;

	open_running(&served);
	serve_command(&served, "touch marker; for d in / /etc /dev /home; do touch $d/x 2>/dev/null && echo $d; done; touch /tmp/stockade-unit-t /var/tmp/t /dev/shm/t ~/t; pwd");
	CHECK(strcmp(served.out, "/srv/build\n") == 0);
	CHECK(!served.err[0]);
	CHECK(access("/srv/build/marker", F_OK) == 0);
	CHECK(access("/tmp/stockade-unit-t", F_OK) < 0);
	system_profile(PARTIAL "[env]\npass = CI_*\n");
	serve_as(&served, SYSTEM_USER, "env | cut -d= -f1 | LC_ALL=C sort | tr '\\n' ' '", environment);
	CHECK(strcmp(served.out, "CI_JOB HOME LANG LC_ALL LOGNAME PATH PWD SHELL STOCKADE_SESSION TMPDIR USER ") == 0);
	serve_command(&served, "ls /proc/self/fd | wc -l; grep -c ^NoNewPrivs:.*1$ /proc/self/status; grep ^CapEff /proc/self/status | tr -d 'CapEf:0\\t'");
	CHECK(strcmp(served.out, "4\n1\n\n") == 0);
	while (system_record(served.log_fd)[0])
		;
}

static void only_the_workspace_is_written_and_only_its_environment_is_there(void **state)
{
	(void)state;
	system_run(check_fence);
}

/* Nothing of the first try's end reaches the client, and the second is the one that runs. */
static void check_covered_proc(void)
{
	struct served served;

	open_running(&served);
	CHECK(mount("none", "/proc/tty", "tmpfs", 0, NULL) == 0);
	serve_command(&served, "echo out; echo err >&2; echo run >>marker; kill -0 1");
	CHECK(strcmp(served.out, "out\n") == 0);
	CHECK(strncmp(served.err, "err\n", 4) == 0 && !strstr(served.err, "bwrap"));
	check_record(&served, "start", "lacks=pidns,");
	check_record(&served, "end", "");
	read_all("/srv/build/marker", served.out, sizeof(served.out));
	CHECK(strcmp(served.out, "run\n") == 0);
	system_profile(WORKSPACE "[cgroup]\nenforce = best-effort\n");
	CHECK(unlink("/srv/build/marker") == 0);
	check_refusal(&served, "touch marker", 126, "reason=grade");
}

static void what_a_container_keeps_back_is_graded_without_a_word_of_bwraps(void **state)
{
	(void)state;
	system_run(check_covered_proc);
}

static void check_signal(void)
{
	struct served served;

	open_running(&served);
	serve_command(&served, "kill -SEGV $$");
	CHECK(served.status == 139);
	check_record(&served, "start", "kind=exec");
	check_record(&served, "end", "by=payload exit=139 signal=SEGV");
	system_profile(PARTIAL "[time]\ntimeout = 1s\n");
	serve_command(&served, "sleep 30; echo survived");
	CHECK(served.status == 124);
	CHECK(!served.out[0] && strstr(served.err, "the command was ended: "));
	check_record(&served, "start", "kind=exec");
	check_record(&served, "end", "by=timeout exit=124");
}

static void a_signal_and_a_timeout_are_told_from_an_exit(void **state)
{
	(void)state;
	system_run(check_signal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_disk_is_told_as_such_wherever_it_is_met),
		cmocka_unit_test(what_is_refused_is_logged_told_in_one_line_and_not_run),
		cmocka_unit_test(root_is_not_served),
		cmocka_unit_test(without_a_log_nothing_runs),
		cmocka_unit_test(exit_statuses_and_streams_arrive_and_nothing_is_left),
		cmocka_unit_test(only_the_workspace_is_written_and_only_its_environment_is_there),
		cmocka_unit_test(what_a_container_keeps_back_is_graded_without_a_word_of_bwraps),
		cmocka_unit_test(a_signal_and_a_timeout_are_told_from_an_exit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

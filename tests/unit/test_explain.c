/* SPDX-License-Identifier: ISC */
/* What the admin is shown, against profiles on a system of the test's own. */
#include "explain.h"

#include "private_system.h"

static char shown[65536];

static int explain(const char *const *words)
{
	char *argv[16] = { (char *)"explain" };
	int argc = 1, saved = dup(STDOUT_FILENO), fd, status;
	ssize_t len;

	while (*words)
		argv[argc++] = (char *)*words++;
	fflush(stdout);
	fd = open("/mnt/shown", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
	status = explain_main(argc, argv);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	len = pread(fd, shown, sizeof(shown) - 1, 0);
	CHECK(len >= 0);
	shown[len] = '\0';
	close(fd);
	close(saved);
	return status;
}

#define EXPLAIN(...) explain((const char *const[]){ __VA_ARGS__, NULL })

static bool has(const char *part)
{
	if (strstr(shown, part))
		return true;
	fprintf(stderr, "no \"%s\" in:\n%s\n", part, shown);
	return false;
}

static void check_runs(void)
{
	system_host();
	system_profile("[workspace]\npath = /srv/build\n[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n[env]\nset = \"A=b\"\n");
	CHECK(EXPLAIN("nobody", "--", "make", "-j8") == 0);
	CHECK(has("verdict: runs\n"));
	CHECK(has("kind: exec\n"));
	CHECK(has("grade expected: partial, lacks limits\n"));
	CHECK(has("[workspace] path = /srv/build  # /etc/stockade/profiles/nobody.ini:2\n"));
	CHECK(has("[time] timeout = 43200s  # default\n"));
	CHECK(has("[limits] nofile = 4096  # default\n"));
	CHECK(has("seal      /  # "));
	CHECK(has("  A=b\n"));
	CHECK(has("  /usr/bin/bwrap\n  --args\n  {options}\n  --\n  /usr/bin/prlimit\n"));
	CHECK(has("\n  /bin/sh\n  -c\n  make -j8\n"));
	CHECK(!strstr(shown, "  /usr/bin/setsid\n"));
	CHECK(EXPLAIN("nobody", "--tty") == 0);
	CHECK(has("kind: shell\n"));
	CHECK(has("  /usr/bin/setsid\n  -c\n"));
	CHECK(has("  /bin/bash\n  -l\n"));
}

static void a_request_that_would_run_is_shown_with_settings_mounts_and_chain(void **state)
{
	(void)state;
	system_run(check_runs);
}

static void check_refused(void)
{
	system_host();
	CHECK(EXPLAIN("nobody", "--", "make") == 126);
	CHECK(has("verdict: refused, reason=profile stage=profile exit=126\n"));
	CHECK(has("no profile for user nobody"));
	system_profile("[workspace]\npath = /srv/build\n[allow]\nls = ls ...\n[deny]\nroot = ls /root\n");
	CHECK(EXPLAIN("nobody", "--", "ls", "/root") == 126);
	CHECK(has("reason=rule"));
	CHECK(has("rule: [deny] root = ls /root  # /etc/stockade/profiles/nobody.ini:6\n"));
	CHECK(!strstr(shown, "chain:"));
	system_profile("[workspace]\npath = /srv/build\n[tools]\nbwrap = /x\n");
	CHECK(EXPLAIN("nobody", "--", "make") == 126);
	CHECK(has("[tools] bwrap: may stand in stockade.ini only"));
}

static void a_refused_request_is_shown_with_reason_and_rule(void **state)
{
	(void)state;
	system_run(check_refused);
}

static void check_words(void)
{
	system_host();
	system_profile("[workspace]\npath = /srv/build\n[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n");
	CHECK(EXPLAIN("nobody", "--", "printf", "\x1b[2J\n", "--tty") == 0);
	CHECK(has("  printf \\x1b[2J\\x0a --tty\n"));
	for (const char *at = shown; *at; at++)
		CHECK(*at == '\n' || (unsigned char)*at >= ' ');
}

static void no_control_byte_of_the_command_reaches_the_terminal(void **state)
{
	(void)state;
	system_run(check_words);
}

static void check_absent(void)
{
	system_host();
	system_profile("[workspace]\npath = /srv/build\n[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n"
		       "[view]\netc = +no-such-entry\nread = ?/srv/none\n");
	CHECK(EXPLAIN("nobody", "--", "make") == 0);
	CHECK(has("named by the profile, not on this host, and so not shown:\n"));
	CHECK(has("\n  /etc/no-such-entry\n") && has("\n  /srv/none\n"));
	CHECK(strstr(shown, "\n  /srv/none\n") > strstr(shown, "and so not shown:"));
}

static void what_the_profile_names_and_the_host_lacks_is_shown_as_absent(void **state)
{
	(void)state;
	system_run(check_absent);
}

#define MANY 100000

/* As long as a client cannot send, and as odd as one can. */
static void check_odd(void)
{
	char **argv = calloc(MANY + 4, sizeof(*argv));
	const char *begin[] = { "explain", "nobody", "--" };
	int saved = dup(STDOUT_FILENO), sink = open("/dev/null", O_WRONLY | O_CLOEXEC);

	system_host();
	system_profile("[workspace]\npath = /srv/build\n[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n");
	CHECK(argv && sink >= 0);
	for (int i = 0; i < MANY + 3; i++)
		argv[i] = i < 3 ? (char *)begin[i] : (char *)"a";
	dup2(sink, STDOUT_FILENO);
	CHECK(explain_main(MANY + 3, argv) == 126);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	free(argv);
	for (const char *const *odd = (const char *const[]){ "\033[2J", "a\nb", "\xff\x9b" "31m", NULL }; *odd; odd++) {
		CHECK(EXPLAIN("nobody", "--", *odd) == 0);
		CHECK(!strpbrk(shown, "\033\x9b") && !strstr(shown, *odd));
	}
	CHECK(EXPLAIN("../x", "--", "true") != 0 && EXPLAIN("a]\n[b", "--", "true") != 0 && EXPLAIN("--as", "--", "true") == 2);
	CHECK(EXPLAIN("nobody", "--actor", "../x", "--", "true") == 126 && has("the actor's name cannot stand in a path"));
	CHECK(EXPLAIN("nobody", "--actor", "a]\n[b", "--", "true") == 126 && has("the actor's name cannot stand in a path"));
}

static void odd_words_and_too_many_are_told_without_a_control_byte(void **state)
{
	(void)state;
	system_run(check_odd);
}

static void check_usage(void)
{
	CHECK(explain((const char *const[]){ NULL }) == 2);
	CHECK(EXPLAIN("--tty") == 2);
	CHECK(EXPLAIN("nobody", "--nonsense") == 2);
	CHECK(EXPLAIN("nobody", "somebody") == 2);
	CHECK(EXPLAIN("nobody", "--actor") == 2);
	CHECK(EXPLAIN("no-such-user", "--", "make") != 0);
	CHECK(!shown[0]);
}

static void wrong_usage_is_2_and_shows_nothing_on_standard_output(void **state)
{
	(void)state;
	system_run(check_usage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_that_would_run_is_shown_with_settings_mounts_and_chain),
		cmocka_unit_test(a_refused_request_is_shown_with_reason_and_rule),
		cmocka_unit_test(no_control_byte_of_the_command_reaches_the_terminal),
		cmocka_unit_test(wrong_usage_is_2_and_shows_nothing_on_standard_output),
		cmocka_unit_test(what_the_profile_names_and_the_host_lacks_is_shown_as_absent),
		cmocka_unit_test(odd_words_and_too_many_are_told_without_a_control_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

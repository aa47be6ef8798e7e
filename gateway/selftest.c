/* SPDX-License-Identifier: ISC */
/* Owns the test from inside. Root here, the account in the child; nothing of it is reachable by a client. */
#include "selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manager.h"
#include "outcome.h"
#include "serve.h"
#include "text.h"
#include "words.h"

/*
 * One line a guarantee: "ok NAME" or "no NAME SEEN". HOST_PID is a process of the host's, the tool itself, that
 * the account may not see. Only what every shell has. SEEN is words of the shell, looked at where the guarantee fails.
 * The names that are written to are new ones: what the account left by a known name may be a FIFO.
 */
static const char script[] =
	"PATH=/usr/bin:/bin\n"
	"t() { if eval \"$2\" >/dev/null 2>&1; then echo \"ok $1\"; else eval \"seen=\\\"$3\\\"\"; echo \"no $1 $seen\"; fi; }\n"
	"writes() { to=$(mktemp \"$1\") && echo x >\"$to\"; r=$?; rm -f \"$to\"; return $r; }\n"
	"has() { case $1 in *\"$2\"*) ;; *) false ;; esac; }\n"
	"status=$(cat /proc/self/status) cgroup=$(grep ^0:: /proc/self/cgroup)\n"
	"t workspace-is-cwd '[ \"$PWD\" = \"$(pwd -P)\" ]' '$PWD'\n"
	"if [ -w . ]; then t workspace-writable 'writes .stockade-probe.XXXXXX' '$PWD'; fi\n"
	"for d in / /etc /dev /home /usr; do t \"no-write-to-$d\" '! (: >$d/.stockade-probe)' \"$d\"; done\n"
	"t private-tmp 'echo x >/tmp/.p && [ -z \"$(ls /tmp)\" ] && rm /tmp/.p' '$(ls /tmp | head -n 3 | tr \"\\n\" \" \")'\n"
	"t dev-null-writable 'echo x >/dev/null' '$(ls -l /dev/null)'\n"
	"t pid-1-is-the-fences 'read -r comm </proc/1/comm && [ \"$comm\" = bwrap ]' '$comm'\n"
	"t pid-1-has-no-environment '[ \"$(wc -c </proc/1/environ)\" = 0 ]' environ\n"
	"t no-host-process-signalled '! kill -0 HOST_PID' HOST_PID\n"
	"t home-writable 'writes \"$HOME/.pXXXXXX\"' '$HOME'\n"
	"t tmpdir '[ \"$TMPDIR\" = /tmp ]' '$TMPDIR'\n"
	"t no-host-network '! grep : /proc/net/dev | grep -qv \"^ *\\(lo\\|tap0\\):\"' '$(grep : /proc/net/dev | cut -d: -f1 | tr \"\\n\" \" \")'\n"
	"t no-new-privileges 'has \"$status\" \"NoNewPrivs:\t1\"' NoNewPrivs\n"
	"t no-capabilities 'has \"$status\" \"CapBnd:\t0000000000000000\"' CapBnd\n"
	"t system-call-filter 'has \"$status\" \"Seccomp:\t2\"' Seccomp\n"
	"t own-cgroup-root '[ \"$cgroup\" = 0::/ ]' '$cgroup'\n"
	"t memory-limit '[ -r /sys/fs/cgroup/memory.max ]' memory.max\n"
	"t task-limit '[ -r /sys/fs/cgroup/pids.max ]' pids.max\n";

static void fill_script(char *out, size_t size)
{
	const char *at = script, *mark;
	size_t len = 0;

	while ((mark = strstr(at, "HOST_PID"))) {
		len += (size_t)snprintf(out + len, size - len, "%.*s%d", (int)(mark - at), at, getpid());
		at = mark + strlen("HOST_PID");
	}
	snprintf(out + len, size - len, "%s", at);
}

/* "t 'program:PATH' 'test -x PATH' PATH", each quoted for its own reader. */
static void add_program(char *out, size_t size, const char *path)
{
	char test[PATH_MAX + 64], *quoted = words_quote(path), *condition = NULL, *name = NULL;
	size_t len = strlen(out);

	if (quoted) {
		snprintf(test, sizeof(test), "[ -f %s ] && [ -x %s ]", quoted, quoted);
		condition = words_quote(test);
		snprintf(test, sizeof(test), SELFTEST_PROGRAM "%s", path);
		name = words_quote(test);
	}
	if (condition && name)
		snprintf(out + len, size - len, "t %s %s absent\n", name, condition);
	free(quoted);
	free(condition);
	free(name);
}

static void become_account(const struct account *account)
{
	if (setgroups(account->groups.len, account->gids) < 0 || setgid(account->gid) < 0 || setuid(account->uid) < 0)
		_exit(125);
	if (chdir("/") < 0)
		_exit(125);
}

static void run_child(const struct account *account, const char *etc_dir, const char *const *programs, int out_fd, int error_fd,
	struct serve_report *report)
{
	static const char *const no_environment[] = { NULL };
	char command[16384], name[] = "stockade-gateway", *argv[] = { name, NULL };
	struct serve_input input = {
		.request = { .argc = 1, .argv = argv, .original_command = command },
		.environment = no_environment,
		.etc_dir = etc_dir,
		.is_selftest = true,
		.report = report,
	};

	fill_script(command, sizeof(command));
	for (; programs && *programs; programs++)
		if (!strchr(*programs, ' ') && strlen(*programs) < 120)
			add_program(command, sizeof(command), *programs);
	dup2(open("/dev/null", O_RDWR), STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(error_fd, STDERR_FILENO);
	become_account(account);
	_exit(serve(&input));
}

static void read_line(struct selftest *selftest, const char *line)
{
	struct selftest_line *to = &selftest->lines[selftest->len];
	size_t len = strcspn(line, " \n");

	if (selftest->len == SELFTEST_LINES_MAX || len != 2)
		return;
	to->holds = strncmp(line, "ok", 2) == 0;
	line += 3;
	len = strcspn(line, " \n");
	snprintf(to->name, sizeof(to->name), "%.*s", (int)len, line);
	line += len;
	line += *line == ' ';
	text_escape(to->said, sizeof(to->said), line, strcspn(line, "\n"));
	selftest->len++;
}

static void read_results(struct selftest *selftest, int out_fd, int error_fd)
{
	char text[16384];
	ssize_t len = pread(out_fd, text, sizeof(text) - 1, 0);

	text[len > 0 ? len : 0] = '\0';
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		read_line(selftest, line);
	len = pread(error_fd, text, sizeof(text) - 1, 0);
	text[len > 0 ? len : 0] = '\0';
	text_escape(selftest->error, sizeof(selftest->error), text, strcspn(text, "\n"));
}

/* The grade that the start record had, over a page shared with the child. */
static void read_grade(struct selftest *selftest, const struct serve_report *report)
{
	snprintf(selftest->grade, sizeof(selftest->grade), "%s", report->grade[0] ? report->grade : "refused");
	snprintf(selftest->lacks, sizeof(selftest->lacks), "%s", report->lacks);
	if (report->detail[0])
		text_escape(selftest->error, sizeof(selftest->error), report->detail, strlen(report->detail));
}

static int run_once(struct selftest *selftest, const struct account *account, const char *etc_dir, const char *const *programs, struct err *err)
{
	struct serve_report *report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int out_fd = memfd_create("out", MFD_CLOEXEC), error_fd = memfd_create("err", MFD_CLOEXEC), status = 0, r = 0;
	pid_t pid = -1;

	*selftest = (struct selftest){ .status = -1 };
	if (report == MAP_FAILED || out_fd < 0 || error_fd < 0)
		r = err_set(err, errno, "no memory: %s", strerror(errno));
	if (r == 0) {
		pid = fork();
		if (pid == 0)
			run_child(account, etc_dir, programs, out_fd, error_fd, report);
		if (pid < 0 || waitpid(pid, &status, 0) < 0)
			r = err_set(err, errno, "no process: %s", strerror(errno));
	}
	if (r == 0) {
		selftest->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		read_results(selftest, out_fd, error_fd);
		read_grade(selftest, report);
	}
	if (report != MAP_FAILED)
		munmap(report, sizeof(*report));
	if (out_fd >= 0)
		close(out_fd);
	if (error_fd >= 0)
		close(error_fd);
	return r;
}

int selftest_run(struct selftest *selftest, const struct account *account, const char *etc_dir, const char *const *programs, struct err *err)
{
	bool is_held = manager_hold(account->uid);
	int r = run_once(selftest, account, etc_dir, programs, err);

	/* Found running it may be one that logind stops, ten seconds after the account's last logout, and the run with it. */
	if (r == 0 && !is_held && selftest->status == EXIT_FAILED) {
		manager_systemctl("start", account->uid);
		r = run_once(selftest, account, etc_dir, programs, err);
		is_held = !manager_has_logins(account->uid);
	}
	manager_let_go(account->uid, is_held);
	return r;
}

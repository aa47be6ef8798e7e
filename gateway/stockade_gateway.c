/* SPDX-License-Identifier: ISC */
/*
 * What sshd runs for every request of a confined account, stockade-gateway(8). Takes what it needs
 * from the environment once and drops it; nothing that changes security comes from there.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hook.h"
#include "outcome.h"
#include "serve.h"

/* The three standard descriptors are there, nothing above them is. */
static int clean_descriptors(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return -EBADF;
	if (close_range(STDERR_FILENO + 1, ~0u, 0) == 0)
		return 0;
	for (int fd = STDERR_FILENO + 1; fd < 65536; fd++)
		close(fd);
	return 0;
}

/* What a parent ignored or blocked is not handed on to the command. */
static void clean_signals(void)
{
	sigset_t none;

	for (int signum = 1; signum < NSIG; signum++)
		signal(signum, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Called by root from PAM, with what pam_exec(8) puts into the environment. */
static int run_hook(const char *phase)
{
	static char *no_environment[] = { NULL };
	const struct hook_input input = {
		.phase = phase,
		.user = getenv("PAM_USER"),
		.service = getenv("PAM_SERVICE"),
		.host = getenv("PAM_RHOST"),
		.auth = getenv("SSH_AUTH_INFO_0"),
	};

	environ = no_environment;
	return hook_run(&input);
}

int main(int argc, char *argv[])
{
	static char *no_environment[] = { NULL };
	struct serve_input input = {
		.request = {
			.argc = argc,
			.argv = argv,
			.original_command = getenv("SSH_ORIGINAL_COMMAND"),
			.connection = getenv("SSH_CONNECTION"),
			.term = getenv("TERM"),
		},
		.user_auth = getenv("SSH_USER_AUTH"),
		.environment = (const char *const *)environ,
	};

	if (clean_descriptors())
		return EXIT_FAILED;
	clean_signals();
	if (getuid() == 0 && argc == 3 && strcmp(argv[1], "--hook") == 0)
		return run_hook(argv[2]);
	input.request.has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	/* The strings stay where they are; no library sees them any more. */
	environ = no_environment;
	/* The memory goes with the process. */
	_exit(serve(&input));
}

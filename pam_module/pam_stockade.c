/* SPDX-License-Identifier: ISC */
/*
 * The PAM module, a guest in root's sshd. It never reads a profile and never removes a file itself: a confined
 * account's phase is handed to "stockade-gateway --hook", out of process.
 *   1. is_ours()   nobody but an account with a profile, or with an open connection that is to be closed, and not
 *                  systemd's own service: else PAM_IGNORE, before anything that can fail, so that nobody is locked out
 *   2. run_hook()  one child, its status
 * It takes no arguments: a confined account whose line has one is refused, as with an unknown key of its profile.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <security/pam_modutil.h>

#include "connection.h"

#define PROFILES STOCKADE_ETC "/profiles"
#define PATH_SIZE 512

static const char *item(pam_handle_t *pamh, int type)
{
	const void *value = NULL;

	return pam_get_item(pamh, type, &value) == PAM_SUCCESS ? value : NULL;
}

/* "@GROUP.ini" for one of the user's groups. */
static bool has_group_profile(pam_handle_t *pamh, const char *user)
{
	DIR *dir = opendir(PROFILES);
	const struct dirent *entry;
	bool is_found = false;

	while (dir && !is_found && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);
		char group[PATH_SIZE];

		if (entry->d_name[0] != '@' || len < 6 || strcmp(entry->d_name + len - 4, ".ini") != 0)
			continue;
		snprintf(group, sizeof(group), "%.*s", (int)(len - 5), entry->d_name + 1);
		is_found = pam_modutil_user_in_group_nam_nam(pamh, user, group) == 1;
	}
	if (dir)
		closedir(dir);
	return is_found;
}

/* The hook's records of the account's connections. */
static bool has_connections(uid_t uid)
{
	char path[PATH_SIZE];
	struct stat st;

	snprintf(path, sizeof(path), CONNECTION_DIR "/%u", uid);
	return lstat(path, &st) == 0;
}

/* The account's name where it has a profile, or something to close; NULL: none of our business. */
static const char *is_ours(pam_handle_t *pamh, const char *phase)
{
	const char *service = item(pamh, PAM_SERVICE), *user = item(pamh, PAM_USER);
	const struct passwd *entry;
	char path[PATH_SIZE];
	struct stat st;

	if (!user || !*user || strchr(user, '/') || (service && strcmp(service, "systemd-user") == 0))
		return NULL;
	entry = pam_modutil_getpwnam(pamh, user);
	if (!entry || entry->pw_uid == 0)
		return NULL;
	if ((size_t)snprintf(path, sizeof(path), PROFILES "/%s.ini", user) >= sizeof(path))
		return NULL;
	if (lstat(path, &st) == 0 || has_group_profile(pamh, user))
		return user;
	return strcmp(phase, "close") == 0 && has_connections(entry->pw_uid) ? user : NULL;
}

static void set_variable(char *out, size_t size, const char *name, const char *value)
{
	snprintf(out, size, "%s=%s", name, value ? value : "");
}

/* In the child of a root process: nothing but exec. The gateway itself closes descriptors and resets signals. said: -1, or its stderr. */
static void become_hook(char *phase, char *const *envp, int said)
{
	static char path[] = STOCKADE_GATEWAY, option[] = "--hook";
	char *const argv[] = { path, option, phase, NULL };

	if (said >= 0)
		dup2(said, STDERR_FILENO);
	execve(path, argv, envp);
	_exit(127);
}

static int wait_hook(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* One line, up to the stream's end; what is longer is read and dropped. */
static void read_said(int fd, char *said, size_t size)
{
	char buf[256];
	size_t used = 0;
	ssize_t len;

	while ((len = read(fd, buf, sizeof(buf))) > 0 || (len < 0 && errno == EINTR))
		for (ssize_t i = 0; i < len && used + 1 < size; i++)
			said[used++] = buf[i];
	said[used] = '\0';
	said[strcspn(said, "\n")] = '\0';
}

/* 0, or the hook's status, or a negative errno. said: the hook's first line on stderr. */
static int run_hook(pam_handle_t *pamh, const char *user, const char *phase, char *said, size_t size)
{
	static const char auth_name[] = "SSH_AUTH_INFO_0";
	char name[300], service[128], host[300], auth[32768], word[16];
	char *const envp[] = { name, service, host, auth, NULL };
	int fds[2] = { -1, -1 };
	pid_t pid;

	said[0] = '\0';
	set_variable(name, sizeof(name), "PAM_USER", user);
	set_variable(service, sizeof(service), "PAM_SERVICE", item(pamh, PAM_SERVICE));
	set_variable(host, sizeof(host), "PAM_RHOST", item(pamh, PAM_RHOST));
	set_variable(auth, sizeof(auth), auth_name, pam_getenv(pamh, auth_name));
	snprintf(word, sizeof(word), "%s", phase);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become_hook(word, envp, fds[1]);
	close(fds[1]);
	if (pid > 0)
		read_said(fds[0], said, size);
	close(fds[0]);
	return pid < 0 ? -ECHILD : wait_hook(pid);
}

static int translate(pam_handle_t *pamh, const char *user, const char *phase, int status, int failure)
{
	if (status == 0)
		return PAM_SUCCESS;
	pam_syslog(pamh, LOG_ERR, "stockade hook %s for user %s: status %d", phase, user, status);
	return failure;
}

static int refuse_argument(pam_handle_t *pamh, const char *argument, int failure)
{
	const char *service = item(pamh, PAM_SERVICE);
	char said[512];

	snprintf(said, sizeof(said), "stockade: pam_stockade.so takes no argument, and the PAM service %s gives it '%.64s'", service ? service : "?", argument);
	pam_syslog(pamh, LOG_ERR, "%s", said);
	pam_error(pamh, "%s", said);
	return failure;
}

static int handle(pam_handle_t *pamh, const char *phase, int failure, int argc, const char **argv)
{
	const char *user = is_ours(pamh, phase);
	char said[512];
	int status;

	if (!user)
		return PAM_IGNORE;
	if (argc > 0)
		return refuse_argument(pamh, argv[0], failure);
	status = run_hook(pamh, user, phase, said, sizeof(said));
	/* sshd shows it to the client before it closes the connection: nothing else would say why. */
	if (status && strncmp(said, "stockade: ", strlen("stockade: ")) == 0)
		pam_error(pamh, "%s", said);
	return translate(pamh, user, phase, status, failure);
}

int pam_sm_acct_mgmt(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	(void)flags;
	return handle(pamh, "account", PAM_PERM_DENIED, argc, argv);
}

int pam_sm_open_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	(void)flags;
	return handle(pamh, "open", PAM_SESSION_ERR, argc, argv);
}

int pam_sm_close_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
	(void)flags;
	return handle(pamh, "close", PAM_SESSION_ERR, argc, argv);
}

/* SPDX-License-Identifier: ISC */
/*
 * The module between sshd and the hook: whatever names, hosts, keys and arguments PAM has, and whatever the hook says.
 * libpam and the making of processes are played here, so that each execution is one call of the module's.
 */
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <security/pam_modutil.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input: a phase, the hook's wait status, and strings, each up to a NUL. */
static struct {
	unsigned phase;
	int status;
	const char *user, *service, *host, *auth, *said;
	const char *argv[4];
	int argc;
	bool has_hook, is_told;
} played;

const char *pam_getenv(pam_handle_t *pamh, const char *name)
{
	(void)pamh;
	return strcmp(name, "SSH_AUTH_INFO_0") == 0 ? played.auth : NULL;
}

int pam_get_item(const pam_handle_t *pamh, int type, const void **value)
{
	(void)pamh;
	*value = type == PAM_USER ? played.user : type == PAM_SERVICE ? played.service : type == PAM_RHOST ? played.host : NULL;
	return *value ? PAM_SUCCESS : PAM_BAD_ITEM;
}

struct passwd *pam_modutil_getpwnam(pam_handle_t *pamh, const char *user)
{
	static struct passwd entry = { .pw_uid = 4321 };

	(void)pamh;
	(void)user;
	return &entry;
}

int pam_modutil_user_in_group_nam_nam(pam_handle_t *pamh, const char *user, const char *group)
{
	(void)pamh;
	return strcmp(group, "fuzzed") == 0 && strstr(user, "fuzzed") != NULL;
}

void pam_syslog(const pam_handle_t *pamh, int priority, const char *format, ...)
{
	char text[4096];
	va_list args;

	(void)pamh;
	(void)priority;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
}

/* To the client: one line, and it says whose it is. */
int pam_prompt(pam_handle_t *pamh, int style, char **response, const char *format, ...)
{
	char text[4096];
	va_list args;
	int len;

	(void)pamh;
	(void)style;
	(void)response;
	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len < 0 || len >= 1024 || strncmp(text, "stockade: ", 10) != 0)
		abort();
	played.is_told = true;
	return PAM_SUCCESS;
}

int pipe2(int fds[2], int flags)
{
	int r = (int)syscall(SYS_pipe2, fds, flags);

	if (r == 0 && write(fds[1], played.said, strlen(played.said)) < 0)
		abort();
	return r;
}

pid_t fork(void)
{
	played.has_hook = true;
	return 4321;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	(void)options;
	*status = played.status;
	return pid;
}

static const char *next_string(const char **at, const char *end)
{
	const char *string = *at;

	if (string >= end)
		return NULL;
	*at += strlen(string) + 1;
	return string;
}

static void play(const char *text, const char *end)
{
	static int (*const phases[])(pam_handle_t *, int, int, const char **) = { pam_sm_acct_mgmt, pam_sm_open_session, pam_sm_close_session };
	static const int failures[] = { PAM_PERM_DENIED, PAM_SESSION_ERR, PAM_SESSION_ERR };
	bool is_refused;
	int r;

	played.user = next_string(&text, end);
	played.service = next_string(&text, end);
	played.host = next_string(&text, end);
	played.auth = next_string(&text, end);
	played.said = next_string(&text, end);
	if (!played.said)
		played.said = "";
	while (played.argc < 4 && (played.argv[played.argc] = next_string(&text, end)))
		played.argc++;
	r = phases[played.phase]((pam_handle_t *)(void *)&played, 0, played.argc, played.argv);
	is_refused = r == failures[played.phase];
	if (r != PAM_SUCCESS && r != PAM_IGNORE && !is_refused)
		abort();
	/* Success is the hook's alone; who is none of its business is told nothing; an argument opens nothing. */
	if ((r == PAM_SUCCESS) != (played.has_hook && played.status == 0) || (r == PAM_IGNORE && (played.has_hook || played.is_told)))
		abort();
	if (played.argc > 0 && played.has_hook)
		abort();
	if (played.has_hook && (!played.user || strchr(played.user, '/') || (played.service && strcmp(played.service, "systemd-user") == 0)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size < 2)
		return 0;
	memset(&played, 0, sizeof(played));
	played.phase = data[0] % 3;
	/* As of wait(2): an exit status, or a signal. */
	played.status = data[1] & 1 ? data[1] >> 1 : (data[1] >> 1) << 8;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 2, size - 2);
	text[size - 2] = '\0';
	play(text, text + size - 1);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: ISC */
/* Owns talking about user@UID.service; never as the account. */
#include "manager.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text.h"

bool manager_is_up(uid_t uid)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is_up;

	if (fd < 0)
		return false;
	snprintf(address.sun_path, sizeof(address.sun_path), "/run/user/%u/systemd/private", uid);
	/* EAGAIN: its backlog is full, so somebody listens (unix(7)). */
	is_up = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 || errno == EAGAIN;
	close(fd);
	return is_up;
}

bool manager_has_logins(uid_t uid)
{
	char path[64];
	const struct dirent *entry;
	bool has_logins = false;
	DIR *slice;

	snprintf(path, sizeof(path), "/sys/fs/cgroup/user.slice/user-%u.slice", uid);
	slice = opendir(path);
	while (slice && !has_logins && (entry = readdir(slice)))
		has_logins = text_has_prefix(entry->d_name, "session-");
	if (slice)
		closedir(slice);
	return has_logins;
}

bool manager_hold(uid_t uid)
{
	return !manager_is_up(uid) && manager_systemctl("start", uid) == 0;
}

void manager_let_go(uid_t uid, bool is_held)
{
	if (is_held)
		manager_systemctl("stop", uid);
}

int manager_systemctl(const char *verb, uid_t uid)
{
	char unit[64];
	pid_t pid;
	int status;

	if (access("/run/systemd/system", F_OK) < 0)
		return -ENOENT;
	snprintf(unit, sizeof(unit), "user@%u.service", uid);
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl("/usr/bin/systemctl", "systemctl", "-q", verb, unit, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -EIO;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

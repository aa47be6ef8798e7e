/* SPDX-License-Identifier: ISC */
/* A socket where the manager's would be; the service itself is started and stopped in the beds. */
#include "manager.h"

#include <errno.h>

#include "private_system.h"

#define UID 4711

static void up_is_who_answers(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/run/user/4711/systemd/private" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (mount("none", "/run", "tmpfs", 0, "mode=0755"))
		_exit(NO_SYSTEM);
	CHECK(!manager_is_up(UID));
	CHECK(mkdir("/run/user", 0755) == 0 && mkdir("/run/user/4711", 0700) == 0 && mkdir("/run/user/4711/systemd", 0755) == 0);
	CHECK(!manager_is_up(UID));
	CHECK(bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(!manager_is_up(UID));
	CHECK(listen(fd, 1) == 0);
	CHECK(manager_is_up(UID));
	CHECK(!manager_hold(UID)); /* another one's to stop */
	CHECK(mount("none", "/sys/fs/cgroup", "tmpfs", 0, "mode=0755") == 0 && mkdir("/sys/fs/cgroup/user.slice", 0755) == 0);
	CHECK(!manager_has_logins(UID));
	CHECK(mkdir("/sys/fs/cgroup/user.slice/user-4711.slice", 0755) == 0 && mkdir("/sys/fs/cgroup/user.slice/user-4711.slice/user@4711.service", 0755) == 0);
	CHECK(!manager_has_logins(UID));
	CHECK(mkdir("/sys/fs/cgroup/user.slice/user-4711.slice/session-2.scope", 0755) == 0);
	CHECK(manager_has_logins(UID));
	/* Its file outlives a killed manager. */
	close(fd);
	CHECK(!manager_is_up(UID));
	CHECK(manager_systemctl("start", UID) == -ENOENT);
	CHECK(!manager_hold(UID));
	_exit(0);
}

static void a_manager_is_up_when_it_answers_not_when_its_file_is_there(void **state)
{
	(void)state;
	system_run(up_is_who_answers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_manager_is_up_when_it_answers_not_when_its_file_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

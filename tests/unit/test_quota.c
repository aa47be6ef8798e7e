/* SPDX-License-Identifier: ISC */
/* A file system without project quotas; one with them is tried in the vm. */
#include "quota.h"

#include "private_system.h"

static void without_quotas(void)
{
	struct err err = { "" };
	int fd;

	if (mount("none", "/srv", "tmpfs", 0, "mode=0755"))
		_exit(NO_SYSTEM);
	fd = open("/srv", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(quota_open(fd, 1 << 20, &err) == -ENOTSUP);
	CHECK(strstr(err.text, "prjquota"));
	CHECK(quota_project(fd) == 0);
	quota_close(fd, 0);
	CHECK(quota_open(-1, 1 << 20, &err) == -EBADF);
	_exit(0);
}

static void a_file_system_without_project_quotas_is_told(void **state)
{
	(void)state;
	system_run(without_quotas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_system_without_project_quotas_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

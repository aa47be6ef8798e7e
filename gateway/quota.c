/* SPDX-License-Identifier: ISC */
/* Owns quotactl(2) for projects; as root only. */
#include "quota.h"

#include <errno.h>
#include <linux/dqblk_xfs.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443 /* Linux 5.14, the same on every architecture */
#endif

#define COMMAND(name) (((unsigned)(name) << SUBCMDSHIFT) | PRJQUOTA)
/* Ours have this bit: a limit of the admin's is never touched. */
#define PROJECT_BIT 0x40000000u
#define TRIES 16
#define BLOCK 1024u /* of if_dqblk's limits */

static int control(int fd, unsigned name, unsigned project, void *data)
{
	return syscall(SYS_quotactl_fd, fd, COMMAND(name), project, data) < 0 ? -errno : 0;
}

/* ext4 with the feature but not the mount option counts, and takes limits that it does not hold. */
static int check_enforced(int fd)
{
	struct fs_quota_statv state = { .qs_version = FS_QSTATV_VERSION1 };
	int r = control(fd, Q_XGETQSTATV, 0, &state);

	return r ? r : state.qs_flags & FS_QUOTA_PDQ_ENFD ? 0 : -ESRCH;
}

/* A number that nothing counts against. Chance alone would do, but for a file system with projects of the admin's. */
static int find_free(int fd, unsigned *project)
{
	for (int i = 0; i < TRIES; i++) {
		struct if_dqblk block = { 0 };
		int r;

		if (getrandom(project, sizeof(*project), 0) != (ssize_t)sizeof(*project))
			return -EIO;
		*project = (*project & 0x3fffffffu) | PROJECT_BIT;
		r = control(fd, Q_GETQUOTA, *project, &block);
		if (r == -ENOENT || (r == 0 && !block.dqb_curspace && !block.dqb_curinodes && !block.dqb_bhardlimit))
			return 0;
		if (r)
			return r;
	}
	return -EBUSY;
}

int quota_open(int dir_fd, uint64_t bytes, struct err *err)
{
	struct if_dqblk block = { .dqb_bhardlimit = bytes / BLOCK, .dqb_bsoftlimit = bytes / BLOCK, .dqb_valid = QIF_BLIMITS };
	struct fsxattr attributes;
	unsigned project = 0;
	int r = check_enforced(dir_fd);

	if (r == 0)
		r = find_free(dir_fd, &project);
	if (r)
		return err_set(err, r == -ESRCH || r == -ENOSYS || r == -EINVAL || r == -ENOTTY || r == -ENOTSUP ? ENOTSUP : -r,
			"no project quota on the file system of [tmp] dir: %s; mount it with prjquota (ext4, xfs)", r == -ESRCH ? "not enforced" : strerror(-r));
	if (ioctl(dir_fd, FS_IOC_FSGETXATTR, &attributes) < 0)
		return err_set(err, errno, "no project for a private directory: %s", strerror(errno));
	attributes.fsx_projid = project;
	attributes.fsx_xflags |= FS_XFLAG_PROJINHERIT;
	if (ioctl(dir_fd, FS_IOC_FSSETXATTR, &attributes) < 0)
		return err_set(err, errno, "no project for a private directory: %s", strerror(errno));
	r = control(dir_fd, Q_SETQUOTA, project, &block);
	return r ? err_set(err, -r, "no limit for a private directory: %s", strerror(-r)) : 0;
}

unsigned quota_project(int dir_fd)
{
	struct fsxattr attributes;

	return ioctl(dir_fd, FS_IOC_FSGETXATTR, &attributes) < 0 ? 0 : attributes.fsx_projid;
}

void quota_close(int fd, unsigned project)
{
	struct if_dqblk block = { .dqb_valid = QIF_BLIMITS };

	if (project & PROJECT_BIT)
		control(fd, Q_SETQUOTA, project, &block);
}

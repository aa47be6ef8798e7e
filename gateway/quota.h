/* SPDX-License-Identifier: ISC */
/*
 * Project quotas, where ext4 or xfs have them (mount option prjquota): a directory and all that is made below it count
 * against one number. Only root sets them, and inside a user namespace nobody can leave his project (ioctl_xfs_fsgetxattr,
 * "Project Quota ID state is only allowed to change from within the init namespace" in the kernel's fs/ioctl.c).
 */
#pragma once

#include <stdint.h>

#include "err.h"

/*
 * Gives the directory, which is still empty, a project of its own with room for bytes. Errors: -ENOTSUP where the
 * file system has no project quotas, others as the kernel gives them, with a sentence.
 */
int quota_open(int dir_fd, uint64_t bytes, struct err *err);

/* The directory's project, 0 for none. */
unsigned quota_project(int dir_fd);

/* Forgets the limit of the project, on the file system of fd. */
void quota_close(int fd, unsigned project);

/* SPDX-License-Identifier: ISC */
/* Owns the judgement of trees by their path; never looks at what is in them. */
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

static const char *const system_trees[] = { "/usr", "/bin", "/sbin", "/etc", "/proc", "/dev", "/sys", "/run", "/boot",
	"/var/lib/stockade", "/var/run" };

bool paths_overlap(const char *a, const char *b)
{
	return text_path_is_within(a, b) || text_path_is_within(b, a);
}

static bool is_in_home_dot(const char *path, const char *home)
{
	return text_path_is_within(path, home) && strlen(path) > strlen(home) + 1 && path[strlen(home) + 1] == '.';
}

int paths_check_writable(const char *path, const struct paths_places *places, struct err *err)
{
	if (strcmp(path, "/") == 0)
		return err_set(err, EINVAL, "%s: the root directory cannot be a workspace", path);
	for (size_t i = 0; i < sizeof(system_trees) / sizeof(system_trees[0]); i++)
		if (paths_overlap(path, system_trees[i]))
			return err_set(err, EINVAL, "%s: is at, under or above %s", path, system_trees[i]);
	if (text_has_prefix(path, "/lib") && strcspn(path + 1, "/") <= strlen("libx32"))
		return err_set(err, EINVAL, "%s: is at or under a library directory", path);
	if (paths_overlap(path, places->tmp_dir))
		return err_set(err, EINVAL, "%s: is at, under or above %s", path, places->tmp_dir);
	if (text_path_is_within(places->home, path))
		return err_set(err, EINVAL, "%s: contains the account's home directory %s", path, places->home);
	if (is_in_home_dot(path, places->home))
		return err_set(err, EINVAL, "%s: lies in a dot entry of the account's home directory", path);
	if (strcmp(path, places->inside_home) != 0 && text_path_is_within(places->inside_home, path))
		return err_set(err, EINVAL, "%s: is above the home directory inside, %s", path, places->inside_home);
	if (strcmp(path, "/tmp") == 0 || strcmp(path, "/var/tmp") == 0)
		return err_set(err, EINVAL, "%s: is the host's shared directory", path);
	return 0;
}

int paths_check_shown(const char *path, const struct paths_places *places, struct err *err)
{
	static const char *const kernel_trees[] = { "/run", "/var/run", "/proc", "/sys", "/dev", "/var/lib/stockade" };

	if (strcmp(path, "/") == 0)
		return err_set(err, EINVAL, "%s: the whole host is shown by [view] root = host only", path);
	for (size_t i = 0; i < sizeof(kernel_trees) / sizeof(kernel_trees[0]); i++)
		if (paths_overlap(path, kernel_trees[i]))
			return err_set(err, EINVAL, "%s: is at, under or above %s", path, kernel_trees[i]);
	if (paths_overlap(path, places->tmp_dir))
		return err_set(err, EINVAL, "%s: is at, under or above %s", path, places->tmp_dir);
	if (!paths_can_mirror(path, places) || paths_overlap(path, places->inside_home))
		return err_set(err, EINVAL, "%s: its place inside is private and writable", path);
	return 0;
}

bool paths_can_mirror(const char *path, const struct paths_places *places)
{
	return !paths_overlap(path, "/tmp") && !paths_overlap(path, "/var/tmp") && !text_path_is_within(path, places->inside_home);
}

int paths_check_hidden(const char *path, struct err *err)
{
	static const char *const needed[] = { "/usr/bin", "/usr/lib", "/bin", "/lib", "/lib64", "/etc", "/proc", "/dev", "/sys", "/run", "/tmp",
		"/var/tmp", "/home" };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (text_path_is_within(needed[i], path))
			return err_set(err, EINVAL, "%s: is at or above %s, which is private inside or which no command can do without", path, needed[i]);
	if (text_path_is_within(path, "/proc") || text_path_is_within(path, "/dev") || text_path_is_within(path, "/sys"))
		return err_set(err, EINVAL, "%s: is the kernel's, and narrowed already", path);
	return 0;
}

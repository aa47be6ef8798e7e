/* SPDX-License-Identifier: ISC */
/* Owns the look into the name service; decides nothing on what it finds. */
#include "account.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void account_release(struct account *account)
{
	free(account->name);
	free(account->group);
	free(account->home);
	free(account->gecos);
	free(account->shell);
	free(account->gids);
	strv_release(&account->groups);
	*account = (struct account){ 0 };
}

static void add_group(struct account *account, gid_t gid)
{
	const struct group *group = getgrgid(gid);

	if (group)
		strv_add(&account->groups, group->gr_name);
	else
		strv_addf(&account->groups, "%u", gid);
}

static int fill_groups(struct account *account, struct err *err)
{
	int count = 64;

	for (;;) {
		account->gids = reallocarray(account->gids, (size_t)count, sizeof(*account->gids));
		if (!account->gids)
			return err_set(err, ENOMEM, "out of memory");
		if (getgrouplist(account->name, account->gid, account->gids, &count) >= 0)
			break;
		if (count > 65536)
			return err_set(err, E2BIG, "user %s is in more groups than the kernel allows", account->name);
	}
	for (int i = 0; i < count; i++)
		add_group(account, account->gids[i]);
	if (account->groups.failed || !account->groups.len)
		return err_set(err, ENOMEM, "out of memory");
	account->group = strdup(account->groups.items[0]);
	return account->group ? 0 : err_set(err, ENOMEM, "out of memory");
}

static int fill(struct account *account, const struct passwd *entry, struct err *err)
{
	*account = (struct account){
		.uid = entry->pw_uid,
		.gid = entry->pw_gid,
		.name = strdup(entry->pw_name),
		.home = strdup(entry->pw_dir),
		.gecos = strdup(entry->pw_gecos ? entry->pw_gecos : ""),
		.shell = strdup(entry->pw_shell ? entry->pw_shell : ""),
	};
	if (!account->name || !account->home || !account->gecos || !account->shell)
		return err_set(err, ENOMEM, "out of memory");
	return fill_groups(account, err);
}

/* getpwnam(3) sets one of these where there is no such entry; anything else is a name service that does not answer. */
static int no_entry(const char *user, struct err *err)
{
	switch (errno) {
	case 0:
	case ENOENT:
	case ESRCH:
	case EBADF:
	case EPERM:
		return err_set(err, ENOENT, "the name service has no user %s", user);
	default:
		return err_set(err, errno, "the name service cannot look up the user %s: %s", user, strerror(errno));
	}
}

int account_by_uid(struct account *account, uid_t uid, struct err *err)
{
	const struct passwd *entry;
	char user[sizeof("with the id 4294967295")];

	errno = 0;
	entry = getpwuid(uid);
	if (entry)
		return fill(account, entry, err);
	snprintf(user, sizeof(user), "with the id %u", uid);
	return no_entry(user, err);
}

int account_by_name(struct account *account, const char *name, struct err *err)
{
	const struct passwd *entry;
	char user[NAME_MAX];

	errno = 0;
	entry = getpwnam(name);
	if (entry)
		return fill(account, entry, err);
	snprintf(user, sizeof(user), "\"%s\"", name);
	return no_entry(user, err);
}

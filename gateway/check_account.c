/* SPDX-License-Identifier: ISC */
/* Finds what makes an account more than a confined one: its shell, groups, password, files. */
#include <fcntl.h>
#include <pwd.h>
#include <shadow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "check.h"
#include "layout.h"
#include "text.h"

static void find_shell(struct check *check)
{
	const char *shell = check->decision.account.shell;
	char *shells = check_read(check, "/etc/shells"), *at = shells;

	if (!check->has_keys_of_form_k && (!shell || strcmp(shell, STOCKADE_GATEWAY) != 0))
		check_cure(check_add(check, CHECK_ACCOUNT_SHELL, "login shell", "is %s: su, the console and start-up files of a shell are not confined",
				   shell ? shell : "-"), "usermod --shell " STOCKADE_GATEWAY " %s", check->user);
	while (at && (at = strstr(at, STOCKADE_GATEWAY))) {
		char end = at[strlen(STOCKADE_GATEWAY)];

		if ((at == shells || at[-1] == '\n') && (end == '\n' || !end)) {
			check_cure(check_add(check, CHECK_ACCOUNT_IN_ETC_SHELLS, "/etc/shells",
					   "lists the gateway: chsh and ftp servers take the account for an ordinary one"),
				"sed -i '\\|^" STOCKADE_GATEWAY "$|d' /etc/shells");
			break;
		}
		at++;
	}
	free(shells);
}

static void find_groups(struct check *check)
{
	static const char *const roots[] = { "root", "disk", "kmem", "kvm", "docker", "podman", "sudo", "wheel", "admin", "lxd", "incus", "incus-admin", "adm",
		"shadow", "libvirt", "libvirt-qemu", "staff", "systemd-journal", "tty" };
	const struct account *account = &check->decision.account;

	for (size_t i = 0; i < account->groups.len; i++)
		for (size_t j = 0; j < sizeof(roots) / sizeof(roots[0]); j++) {
			struct check_finding *finding;

			if (strcmp(account->groups.items[i], roots[j]) != 0)
				continue;
			finding = check_add(check, CHECK_ACCOUNT_ROOT_GROUP, "groups", "is in %s, which reaches what is root's, or others'", roots[j]);
			if (i == 0)
				check_cure(finding, "groupadd -f %s && usermod -g %s %s", check->user, check->user, check->user);
			else
				check_cure(finding, "gpasswd -d %s %s", check->user, roots[j]);
		}
}

/* --- the account database ---------------------------------------------------------------- */

static void find_password(struct check *check)
{
	const struct spwd *entry = getspnam(check->user);

	if (entry && entry->sp_pwdp && entry->sp_pwdp[0] != '*' && entry->sp_pwdp[0] != '!')
		check_cure(check_add(check, CHECK_ACCOUNT_PASSWORD, "/etc/shadow", "%s password: su, the console and other services let the account in",
				   entry->sp_pwdp[0] ? "has a" : "has an empty"), "usermod -p '*' %s", check->user);
}

static void find_twins(struct check *check)
{
	const struct account *account = &check->decision.account;
	const struct passwd *entry;
	_cleanup_strv_ struct strv twins = STRV_INIT;
	uid_t next = 1000;

	setpwent();
	while ((entry = getpwent())) {
		if (entry->pw_uid >= next && entry->pw_uid < 60000)
			next = entry->pw_uid + 1;
		if (entry->pw_uid == account->uid && strcmp(entry->pw_name, account->name) != 0)
			strv_add(&twins, entry->pw_name);
	}
	endpwent();
	for (size_t i = 0; i < twins.len; i++) {
		char quoted[600];

		check_cure(check_add(check, CHECK_ACCOUNT_UID_SHARED, "name service", "%s has the same uid, %u: to the kernel they are one", twins.items[i], account->uid),
			"usermod --uid %u %s", next + (uid_t)i, check_quote(quoted, sizeof(quoted), twins.items[i]));
	}
}

/* --- its private directory ---------------------------------------------------------------------------- */

static void find_private(struct check *check)
{
	const struct account *account = &check->decision.account;
	char path[4400], quoted[4600];
	struct stat st;
	bool is_there;

	snprintf(path, sizeof(path), "%s/%s", check->decision.profile.tmp_dir, account->name);
	is_there = fstatat(check->root_fd, path + 1, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (is_there && S_ISDIR(st.st_mode) && st.st_uid == account->uid && (st.st_mode & 07777) == 0700)
		return;
	check_cure(check_add(check, CHECK_NO_PRIVATE_DIRECTORY, path,
			   is_there ? "is not a directory of the account's alone: requests are refused" :
				      "does not exist: private directories go to memory below /run, or requests are refused"),
		"install -d -o %s -g %s -m 700 %s", account->name, account->group, check_quote(quoted, sizeof(quoted), path));
}

/* --- [account] ------------------------------------------------------------------------- */

static bool has_line(const char *text, const char *line)
{
	const char *at = text;
	size_t len = strlen(line);

	while ((at = strstr(at, line))) {
		if ((at == text || at[-1] == '\n') && (at[len] == '\n' || !at[len]))
			return true;
		at++;
	}
	return false;
}

static void find_slice(struct check *check)
{
	char path[128], lines[LAYOUT_SLICE_LINES][64], quoted[4600], *text;
	struct sysinfo info = { 0 };
	size_t len;

	sysinfo(&info);
	len = layout_slice_lines(&check->profile, (uint64_t)info.totalram * info.mem_unit, lines);
	snprintf(path, sizeof(path), LAYOUT_SLICE, check->decision.account.uid);
	text = check_read(check, path);
	for (size_t i = 0; i < len; i++) {
		if (text && has_line(text, lines[i]))
			continue;
		check_cure(check_add(check, CHECK_SLICE_DROP_IN, path, "%s \"%s\": [account] asks for it", text ? "has no line" : "is not there to say", lines[i]),
			"stockade enroll %s --workspace %s", check->user,
			check_quote(quoted, sizeof(quoted), check->decision.profile.workspace ? check->decision.profile.workspace : "/srv/work"));
		break;
	}
	free(text);
}

void check_account(struct check *check)
{
	find_shell(check);
	find_groups(check);
	check_sudo(check);
	find_password(check);
	find_twins(check);
	if (check->has_profile)
		find_slice(check);
	if (check->has_facts)
		find_private(check);
}

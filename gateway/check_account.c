/* SPDX-License-Identifier: ISC */
/* Finds what makes an account more than a confined one: its shell, groups, sudo, password, files. */
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

#define ALIASES_MAX 16

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

/* --- sudo ------------------------------------------------------------------------------ */

struct sudoers {
	struct check *check;
	const char *path;
	char aliases[ALIASES_MAX][64];
	size_t aliases_len;
};

static bool is_meant(const struct sudoers *sudoers, const char *word)
{
	const struct account *account = &sudoers->check->decision.account;
	char number[16];

	snprintf(number, sizeof(number), "#%u", account->uid);
	if (strcmp(word, "ALL") == 0 || strcmp(word, account->name) == 0 || strcmp(word, number) == 0)
		return true;
	for (size_t i = 0; i < account->groups.len; i++) {
		snprintf(number, sizeof(number), "%%#%u", account->gids[i]);
		if (word[0] == '%' && (strcmp(word + 1, account->groups.items[i]) == 0 || strcmp(word, number) == 0))
			return true;
	}
	for (size_t i = 0; i < sudoers->aliases_len; i++)
		if (strcmp(word, sudoers->aliases[i]) == 0)
			return true;
	return false;
}

/* Words joined by commas, up to the end of the first one that no comma follows. */
static bool is_any_meant(const struct sudoers *sudoers, char *list)
{
	char *save = NULL;

	for (char *word = strtok_r(list, ", \t", &save); word; word = strtok_r(NULL, ", \t", &save))
		if (is_meant(sudoers, word))
			return true;
	return false;
}

static void look_at_rule(void *data, unsigned number, char *line)
{
	struct sudoers *sudoers = data;
	char where[600], quoted[1024], *equals;

	line += strspn(line, " \t");
	equals = strchr(line, '=');
	if (!*line || (*line == '#' && !(line[1] >= '0' && line[1] <= '9')) || *line == '@' || text_has_prefix(line, "Defaults") || !equals)
		return;
	if (text_has_prefix(line, "User_Alias")) {
		char *name = line + strlen("User_Alias");

		name += strspn(name, " \t");
		if (is_any_meant(sudoers, equals + 1) && sudoers->aliases_len < ALIASES_MAX)
			snprintf(sudoers->aliases[sudoers->aliases_len++], 64, "%.*s", (int)strcspn(name, " \t="), name);
		return;
	}
	if (strstr(line, "_Alias"))
		return;
	/* USERS HOSTS = …: the hosts are the last word before the sign. */
	while (equals > line && (equals[-1] == ' ' || equals[-1] == '\t'))
		equals--;
	while (equals > line && equals[-1] != ' ' && equals[-1] != '\t')
		equals--;
	*equals = '\0';
	if (!is_any_meant(sudoers, line))
		return;
	snprintf(where, sizeof(where), "%s:%u", sudoers->path, number);
	check_cure(check_add(sudoers->check, CHECK_ACCOUNT_SUDOERS, where, "sudo lets the account run commands as another user, outside any fence"),
		"sed -i '%us/^/# /' %s", number, check_quote(quoted, sizeof(quoted), sudoers->path));
}

static void look_at_sudoers(void *data, const char *path)
{
	struct sudoers *sudoers = data;
	char *text;

	/* As sudo itself: neither editors' nor packages' leftovers. */
	if (text_has_suffix(path, "~") || strchr(strrchr(path, '/'), '.'))
		return;
	sudoers->path = path;
	text = check_read(sudoers->check, path);
	check_lines(text, look_at_rule, sudoers);
	free(text);
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
	struct sudoers sudoers = { .check = check };

	find_shell(check);
	find_groups(check);
	look_at_sudoers(&sudoers, "/etc/sudoers");
	check_entries(check, "/etc/sudoers.d", look_at_sudoers, &sudoers);
	find_password(check);
	find_twins(check);
	if (check->has_profile)
		find_slice(check);
	if (check->has_facts)
		find_private(check);
}

/* SPDX-License-Identifier: ISC */
/* Finds what runs commands of the account without sshd, and so without the gateway: cron, at, units of systemd. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "layout.h"
#include "text.h"

struct jobs {
	struct check *check;
	const char *path;
	bool is_found;
};

static void look_for_user(void *data, unsigned number, char *line)
{
	struct jobs *jobs = data;

	(void)number;
	line += strspn(line, " \t");
	line[strcspn(line, " \t\r")] = '\0';
	jobs->is_found |= strcmp(line, jobs->check->user) == 0;
}

static bool lists_user(struct check *check, const char *path)
{
	struct jobs jobs = { .check = check };
	char *text = check_read(check, path);

	check_lines(text, look_for_user, &jobs);
	free(text);
	return jobs.is_found;
}

static bool has_any(const struct check *check, const char *const *paths)
{
	for (; *paths; paths++)
		if (check_exists(check, *paths))
			return true;
	return false;
}

/* crontab(1) and at(1): the list of who may, else the list of who may not, else by_default. */
static void find_allowed(struct check *check, enum check_id id, const char *allow, const char *deny, bool by_default, const char *what)
{
	struct check_finding *finding;

	if (check_exists(check, allow)) {
		if (!lists_user(check, allow))
			return;
		finding = check_add(check, id, allow, "%s", what);
		check_cure(finding, "sed -i '/^%s$/d' %s", check->user, allow);
		return;
	}
	if (check_exists(check, deny) ? lists_user(check, deny) : !by_default)
		return;
	finding = check_add(check, id, deny, "%s", what);
	check_cure(finding, "echo %s >>%s", check->user, deny);
}

/* A line of a system crontab: five fields, or @when, then the user. */
static void look_at_cron_line(void *data, unsigned number, char *line)
{
	struct jobs *jobs = data;
	char where[4500], quoted[4500], *save = NULL, *word;
	size_t fields;

	line += strspn(line, " \t");
	if (!strchr("*@0123456789", *line) || !*line)
		return;
	fields = *line == '@' ? 1 : 5;
	word = strtok_r(line, " \t", &save);
	for (size_t i = 0; word && i < fields; i++)
		word = strtok_r(NULL, " \t", &save);
	if (!word || strcmp(word, jobs->check->user) != 0)
		return;
	snprintf(where, sizeof(where), "%s:%u", jobs->path, number);
	check_cure(check_add(jobs->check, CHECK_ACCOUNT_CRONTAB, where, "cron runs this line as the account, outside the fence"), "sed -i '%us/^/#/' %s", number,
		check_quote(quoted, sizeof(quoted), jobs->path));
}

static void look_at_cron_file(void *data, const char *path)
{
	struct jobs *jobs = data;
	char *text = check_read(jobs->check, path);

	jobs->path = path;
	check_lines(text, look_at_cron_line, jobs);
	free(text);
}

static void find_crontabs(struct check *check)
{
	static const char *const spools[] = { "/var/spool/cron/crontabs", "/var/spool/cron", "/var/spool/cron/tabs" };
	struct jobs jobs = { .check = check };
	struct stat st;

	for (size_t i = 0; i < sizeof(spools) / sizeof(spools[0]); i++) {
		char path[400];

		snprintf(path, sizeof(path), "%s/%s", spools[i], check->user);
		if (fstatat(check->root_fd, path + 1, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			check_cure(check_add(check, CHECK_ACCOUNT_CRONTAB, path, "cron runs its lines outside the fence"), "rm %s", path);
	}
	look_at_cron_file(&jobs, "/etc/crontab");
	check_entries(check, "/etc/cron.d", look_at_cron_file, &jobs);
}

static void look_at_at_job(void *data, const char *path)
{
	struct check *check = data;
	char quoted[4500];
	struct stat st;

	if (fstatat(check->root_fd, path + 1, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) || st.st_uid != check->decision.account.uid)
		return;
	check_cure(check_add(check, CHECK_ACCOUNT_AT_JOB, path, "atd runs it outside the fence"), "rm %s", check_quote(quoted, sizeof(quoted), path));
}

static void note_entry(void *data, const char *path)
{
	(void)path;
	*(bool *)data = true;
}

static void find_units(struct check *check)
{
	/* Units, and what sets the manager's environment or makes files and services beside them. */
	static const char *const places[] = { ".config/systemd/user", ".local/share/systemd/user", ".config/systemd/user.control", ".config/environment.d",
		".config/user-tmpfiles.d", ".local/share/user-tmpfiles.d", ".local/share/dbus-1/services" };
	char path[4400], quoted[4600];

	snprintf(path, sizeof(path), "/var/lib/systemd/linger/%s", check->user);
	if (check_exists(check, path))
		check_cure(check_add(check, CHECK_ACCOUNT_LINGER, path, "the account's user manager starts at boot, and its units with it, outside the fence"),
			"loginctl disable-linger %s", check->user);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		bool has_units = false;

		snprintf(path, sizeof(path), "%s/%s", check->decision.account.home, places[i]);
		check_entries(check, path, note_entry, &has_units);
		/* As the account: root would follow a link that is put there meanwhile. */
		if (has_units)
			check_cure(check_add(check, CHECK_ACCOUNT_USER_UNITS, path, "what is in it is the account's user manager's to run, outside the fence"),
				"runuser -u %s -- rm -r %s", check->user, check_quote(quoted, sizeof(quoted), path));
	}
}

/* An MTA runs "|command" of it, as the account. */
static void find_mail_command(struct check *check)
{
	static const char *const files[] = { ".forward", ".procmailrc", ".mailfilter" };
	char path[4400], quoted[4600];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", check->decision.account.home, files[i]);
		if (check_exists(check, path))
			check_cure(check_add(check, CHECK_ACCOUNT_MAIL_COMMAND, path, "a mail to the account runs what it says, outside the fence"), "runuser -u %s -- rm %s",
				check->user, check_quote(quoted, sizeof(quoted), path));
	}
}

/* --- units of the system --------------------------------------------------------------- */

struct units {
	struct check *check;
	const char *directory;  /* of units */
	const char *unit;       /* whose drop-ins these are, or NULL */
	const char *path;
	bool is_found, is_service;
};

static void look_at_unit_line(void *data, unsigned number, char *line)
{
	struct units *units = data;
	char uid[16];

	(void)number;
	line += strspn(line, " \t");
	line[strcspn(line, " \t\r")] = '\0';
	if (*line == '[')
		units->is_service = strcmp(line, "[Service]") == 0;
	if (!units->is_service || !text_has_prefix(line, "User="))
		return;
	snprintf(uid, sizeof(uid), "%u", units->check->decision.account.uid);
	line += strlen("User=");
	line[strcspn(line, "\"'")] = '\0';
	units->is_found |= strcmp(line, units->check->user) == 0 || strcmp(line, uid) == 0;
}

static void look_at_unit(void *data, const char *path)
{
	struct units *units = data;
	const char *name = units->unit ? units->unit : strrchr(path, '/') + 1;
	char masked[4500], target[64], quoted[4500], unit[512], *text;
	ssize_t len;

	if (!text_has_suffix(path, units->unit ? ".conf" : ".service"))
		return;
	/* What the administrator has masked, or replaced by a unit of his own. */
	snprintf(masked, sizeof(masked), "etc/systemd/system/%s", name);
	len = readlinkat(units->check->root_fd, masked, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	if (strcmp(target, "/dev/null") == 0 || (!units->unit && strcmp(units->directory, "/etc/systemd/system") != 0 && check_exists(units->check, masked)))
		return;
	units->is_found = units->is_service = false;
	text = check_read(units->check, path);
	check_lines(text, look_at_unit_line, units);
	free(text);
	if (!units->is_found)
		return;
	check_quote(unit, sizeof(unit), name);
	if (text_has_prefix(path, "/etc/") || text_has_prefix(path, "/run/"))
		check_cure(check_add(units->check, CHECK_ACCOUNT_SYSTEM_UNITS, path, "%s runs as the account, outside the fence", name),
			"systemctl disable --now %s; mv %s %s.off && systemctl daemon-reload", unit, check_quote(quoted, sizeof(quoted), path), quoted);
	else
		check_cure(check_add(units->check, CHECK_ACCOUNT_SYSTEM_UNITS, path, "%s runs as the account, outside the fence", name), "systemctl mask --now %s", unit);
}

static void look_at_unit_directory(void *data, const char *path)
{
	struct units *units = data;
	char unit[512];

	if (!text_has_suffix(path, ".service.d")) {
		look_at_unit(units, path);
		return;
	}
	snprintf(unit, sizeof(unit), "%.*s", (int)(strlen(strrchr(path, '/') + 1) - strlen(".d")), strrchr(path, '/') + 1);
	units->unit = unit;
	check_entries(units->check, path, look_at_unit, units);
	units->unit = NULL;
}

static void find_system_units(struct check *check)
{
	static const char *const places[] = { "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
		"/lib/systemd/system" };
	struct stat st;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct units units = { .check = check, .directory = places[i] };

		/* Where /lib is a link the same directory was looked at before. */
		if (strcmp(places[i], "/lib/systemd/system") == 0 && (fstatat(check->root_fd, "lib", &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode)))
			continue;
		check_entries(check, places[i], look_at_unit_directory, &units);
	}
}

void check_jobs(struct check *check)
{
	static const char *const cron[] = { "/usr/bin/crontab", "/usr/sbin/cron", "/usr/sbin/crond", NULL };
	static const char *const at[] = { "/usr/bin/at", "/usr/sbin/atd", NULL };

	if (has_any(check, cron))
		find_allowed(check, CHECK_ACCOUNT_CRON_ALLOWED, "/etc/cron.allow", LAYOUT_CRON_DENY, true,
			"the account may have cron jobs, and they run outside the fence");
	if (has_any(check, at))
		find_allowed(check, CHECK_ACCOUNT_AT_ALLOWED, "/etc/at.allow", LAYOUT_AT_DENY, false, "the account may have at jobs, and they run outside the fence");
	find_crontabs(check);
	check_entries(check, "/var/spool/cron/atjobs", look_at_at_job, check);
	check_entries(check, "/var/spool/at", look_at_at_job, check);
	find_units(check);
	find_mail_command(check);
	find_system_units(check);
}

/* SPDX-License-Identifier: ISC */
/*
 * Enrolling on an /etc of the test's own, with the real useradd, usermod and sshd -t, without systemd: nothing is reloaded,
 * and whether the enrolled account can log in is the system tests'. Root only.
 */
#include "enroll.h"

#include "account.h"
#include "private_command.h"

#define TEMPLATES STOCKADE_DATADIR "/templates"
#define DROP_IN "/etc/ssh/sshd_config.d/50-stockade-nobody.conf"
#define PROFILE "/etc/stockade/profiles/nobody.ini"
#define KEYS "/etc/ssh/stockade/nobody"

static bool shell(const char *command)
{
	return system(command) == 0;
}

static void open_host(void)
{
	system_host();
	if (access("/usr/sbin/sshd", X_OK) < 0 || access("/usr/sbin/usermod", X_OK) < 0 || access("/usr/sbin/useradd", X_OK) < 0)
		_exit(NO_SYSTEM);
	/* No place of the host's that useradd and userdel know is left. */
	if (mount("none", "/run", "tmpfs", 0, "mode=0755") || mount("none", "/home", "tmpfs", 0, "mode=0755") ||
		mount("none", "/usr/share", "tmpfs", 0, "mode=0755") || mount("none", "/var/mail", "tmpfs", 0, "mode=0755") ||
		mount("none", "/var/log", "tmpfs", 0, "mode=0755"))
		_exit(NO_SYSTEM);
	CHECK(shell("mkdir -p " TEMPLATES " /etc/ssh/sshd_config.d /etc/pam.d"));
	system_write(TEMPLATES "/build.ini", "# of the template\n[workspace]\npath = /srv/work/%u\n\n[command]\nsftp = yes\n", 0644);
	system_write("/etc/ssh/sshd_config", "Include /etc/ssh/sshd_config.d/*.conf\nUsePAM no\n", 0644);
	system_write("/etc/pam.d/sshd", "@include common-account\n", 0644);
	system_write("/etc/cron.deny", "other\n", 0644);
	CHECK(shell("ssh-keygen -q -N '' -t ed25519 -f /etc/ssh/ssh_host_ed25519_key && ssh-keygen -q -N '' -C alice@there -t ed25519 -f /mnt/key"));
}

/* What enroll may touch, in one text; not what useradd keeps for itself. */
static char *host(void)
{
	static char texts[2][65536];
	static int turn;
	char *text = texts[turn++ % 2];
	FILE *output = popen("find /etc /srv /var/lib/stockade /home /run -printf '%p %y %m %U:%G\\n' | grep -v '/[.]pwd.lock\\|/passwd-\\|/group-\\|/shadow-\\|/gshadow-\\|/subuid-\\|/subgid-' | sort; "
			     "cat /etc/passwd /etc/group /etc/cron.deny /etc/pam.d/sshd /etc/ssh/sshd_config; cat " PROFILE " 2>&1",
		"re");
	size_t len;

	CHECK(output);
	len = fread(text, 1, sizeof(texts[0]) - 1, output);
	text[len] = '\0';
	pclose(output);
	return text;
}

static void check_same(const char *before, const char *after)
{
	if (strcmp(before, after) == 0)
		return;
	system_write("/mnt/before", before, 0600);
	system_write("/mnt/after", after, 0600);
	shell("diff /mnt/before /mnt/after >&2");
	_exit(1);
}

static bool has(const char *path, const char *part)
{
	static char text[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = '\0';
	if (fd >= 0)
		close(fd);
	if (strstr(text, part))
		return true;
	fprintf(stderr, "no \"%s\" in %s:\n%s\n%s\n", part, path, text, complained);
	return false;
}

static void check_usage(void)
{
	char *before;

	open_host();
	before = host();
	CHECK(command_run(enroll_main, (const char *const[]){ NULL }) == 2);
	CHECK(RUN_COMMAND(enroll_main, "nobody") == 2);
	CHECK(RUN_COMMAND(enroll_main, "--workspace", "/srv/build") == 2);
	CHECK(RUN_COMMAND(enroll_main, "nobody", "--workspace") == 2);
	CHECK(RUN_COMMAND(enroll_main, "nobody", "--workspace", "srv/build") == 2);
	CHECK(RUN_COMMAND(enroll_main, "nobody", "other", "--workspace", "/srv/build") == 2);
	CHECK(RUN_COMMAND(enroll_main, "../nobody", "--workspace", "/srv/build") == 2);
	CHECK(RUN_COMMAND(enroll_main, "no;body", "--workspace", "/srv/build") == 2);
	CHECK(RUN_COMMAND(enroll_main, "nobody", "--workspace", "/srv/build", "--template", "../x") == 2);
	CHECK(RUN_COMMAND(enroll_main, "nobody", "--workspace", "/srv/build", "--as", "alice") == 2);
	CHECK(RUN_COMMAND(enroll_main, "nobody", "--workspace", "/srv/build", "--key", "/mnt/key.pub", "--as", "a b") == 2);
	CHECK(RUN_COMMAND(enroll_main, "nobody", "--workspace", "/srv/build", "--nonsense") == 2);
	CHECK(strstr(complained, "usage: stockade enroll ") && !shown[0]);
	CHECK(command_run(unenroll_main, (const char *const[]){ NULL }) == 2);
	CHECK(RUN_COMMAND(unenroll_main, "nobody", "--workspace", "/srv/build") == 2);
	CHECK(RUN_COMMAND(unenroll_main, "nobody", "--key", "/mnt/key.pub") == 2);
	CHECK(RUN_COMMAND(unenroll_main, "../nobody") == 2);
	check_same(before, host());
}

static void wrong_usage_is_2_and_changes_nothing(void **state)
{
	(void)state;
	system_run(check_usage);
}

#define ENROLL(...) RUN_COMMAND(enroll_main, "nobody", "--workspace", "/srv/new/work", ##__VA_ARGS__)

static void check_dry(void)
{
	char *before;

	open_host();
	before = host();
	CHECK(ENROLL("--key", "/mnt/key.pub", "--as", "alice", "--dry-run") == 0);
	CHECK(is_shown("would: write " PROFILE "\n") && is_shown("would: /usr/sbin/usermod --shell "));
	for (const char *line = shown; *line; line = strchr(line, '\n') + 1)
		CHECK(strncmp(line, "would: ", 7) == 0);
	CHECK(RUN_COMMAND(enroll_main, "not-there-yet", "--workspace", "/srv/new/work", "--dry-run") == 0);
	CHECK(is_shown("would: /usr/sbin/useradd "));
	check_same(before, host());
}

static void a_dry_run_tells_and_changes_nothing(void **state)
{
	(void)state;
	system_run(check_dry);
}

static void check_refused(const char *const *words)
{
	char *before = host();

	CHECK(command_run(enroll_main, words) == 1);
	CHECK(strncmp(complained, "stockade: ", 10) == 0 || strstr(complained, "\nstockade: "));
	check_same(before, host());
}

#define REFUSED(...) check_refused((const char *const[]){ __VA_ARGS__, NULL })

/* The dry run's lines without "would: ", kept. */
static const char *without_would(void)
{
	static char text[65536];
	size_t len = 0;

	for (const char *line = shown; *line; line = strchr(line, '\n') + 1) {
		CHECK(strncmp(line, "would: ", 7) == 0);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%.*s\n", (int)strcspn(line + 7, "\n"), line + 7);
	}
	return text;
}

static void check_same_steps(void)
{
	const char *told;
	char *before;

	open_host();
	system_write("/etc/stockade/stockade.ini", "[tmp]\ndir = /srv/private\n", 0644);
	system_write("/etc/at.deny", "other\n", 0644);
	system_write("/etc/pam.d/cron", "@include common-account\n", 0644);
	system_write(TEMPLATES "/build.ini", "[workspace]\npath = /srv/work/%u\n[account]\nmemory_max = 1G\n", 0644);
	before = host();
	CHECK(ENROLL("--key", "/mnt/key.pub", "--as", "alice", "--dry-run") == 0);
	check_same(before, host());
	told = without_would();
	CHECK(ENROLL("--key", "/mnt/key.pub", "--as", "alice") == 0);
	check_same(told, shown);
	CHECK(is_shown("mkdir -m 0700 /srv/private/nobody, the account's\n") && is_shown("add \"nobody\" to /etc/at.deny\n"));
	CHECK(is_shown("add \"session required pam_stockade.so\" to /etc/pam.d/sshd\n"));
	CHECK(has("/etc/pam.d/cron", "@include common-account\naccount required pam_stockade.so\n"));
	/* And back. */
	CHECK(shell("mkdir /etc/stockade/profiles/nobody.d"));
	before = host();
	CHECK(RUN_COMMAND(unenroll_main, "nobody", "--dry-run") == 0);
	check_same(before, host());
	told = without_would();
	CHECK(RUN_COMMAND(unenroll_main, "nobody") == 0);
	check_same(told, shown);
	CHECK(is_shown("take \"account required pam_stockade.so\" out of /etc/pam.d/sshd\n"));
	CHECK(is_shown("take \"session required pam_stockade.so\" out of /etc/pam.d/sshd\n"));
	CHECK(is_shown("keep /etc/stockade/profiles/nobody.d, "));
	CHECK(shell("! grep -q stockade /etc/pam.d/*"));
}

static void a_dry_run_tells_just_the_steps_that_are_taken(void **state)
{
	(void)state;
	system_run(check_same_steps);
}

static void check_undone(void)
{
	char *before;

	open_host();
	CHECK(ENROLL("--key", "/mnt/key.pub", "--as", "alice") == 0);
	CHECK(chmod(KEYS, 0640) == 0 && chown(KEYS, 0, 5) == 0 && chmod("/etc/cron.deny", 0600) == 0 && chown("/etc/cron.deny", 3, 4) == 0);
	/* The last step finds no file there. */
	CHECK(shell("rm /etc/pam.d/sshd && mkdir /etc/pam.d/sshd"));
	before = host();
	CHECK(RUN_COMMAND(unenroll_main, "nobody") == 1);
	CHECK(strstr(complained, "/etc/pam.d/sshd: cannot be read"));
	CHECK(is_shown("undo: restore " KEYS "\n") && is_shown("undo: restore " PROFILE "\n"));
	check_same(before, host());
}

static void a_failed_unenrolment_leaves_every_file_with_its_owner_and_mode(void **state)
{
	(void)state;
	system_run(check_undone);
}

static void check_workspaces(void)
{
	static const char *const unsafe[] = { "/", "/etc", "/usr/x", "/home", "/nonexistent/.ssh" };

	open_host();
	for (size_t i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++)
		REFUSED("nobody", "--workspace", unsafe[i]);
	CHECK(shell("install -d -o 1 -g 1 /srv/others"));
	REFUSED("nobody", "--workspace", "/srv/others");
	CHECK(strstr(complained, "/srv/others: is there, and belongs neither to nobody"));
	CHECK(RUN_COMMAND(enroll_main, "nobody", "--workspace", "/srv/a/../../etc") == 2);
}

static void a_workspace_that_the_gateway_would_refuse_is_not_made(void **state)
{
	(void)state;
	system_run(check_workspaces);
}

static void check_enroll(void)
{
	_cleanup_account_ struct account account = { 0 };
	struct err err = { "" };
	struct stat st;
	char *before;

	open_host();
	CHECK(ENROLL("--key", "/mnt/key.pub", "--as", "alice") == 0);
	CHECK(has(PROFILE, "# of the template\n[workspace]\npath = /srv/new/work\n"));
	CHECK(has(PROFILE, "[actors]\nalice = SHA256:"));
	CHECK(shell("grep -q \"^alice = $(ssh-keygen -l -f /mnt/key.pub | cut -d' ' -f2)$\" " PROFILE));
	CHECK(shell("cmp -s /mnt/key.pub " KEYS));
	CHECK(has(DROP_IN, "Match User nobody\n    ForceCommand exec " STOCKADE_GATEWAY "\n    AuthorizedKeysFile /etc/ssh/stockade/%u\n    DisableForwarding yes\n"));
	CHECK(has("/etc/pam.d/sshd", "@include common-account\naccount required pam_stockade.so\nsession required pam_stockade.so\n"));
	CHECK(has("/etc/cron.deny", "other\nnobody\n") && access("/etc/at.deny", F_OK) < 0);
	CHECK(stat("/srv/new/work", &st) == 0 && st.st_uid == SYSTEM_USER && (st.st_mode & 07777) == 0755);
	CHECK(stat("/srv/new", &st) == 0 && st.st_uid == 0);
	CHECK(stat(PROFILE, &st) == 0 && st.st_uid == 0 && (st.st_mode & 07777) == 0644);
	CHECK(stat(KEYS, &st) == 0 && st.st_uid == 0 && (st.st_mode & 07777) == 0644);
	CHECK(account_by_name(&account, "nobody", &err) == 0 && strcmp(account.shell, STOCKADE_GATEWAY) == 0);
	/* Again: nothing is left to be done. */
	before = host();
	CHECK(ENROLL("--key", "/mnt/key.pub", "--as", "alice") == 0);
	check_same(before, host());
	CHECK(!strstr(shown, "write ") && !strstr(shown, "change ") && !strstr(shown, "add ") && !strstr(shown, "mkdir "));
}

static void an_enrolled_account_has_all_its_parts_and_once_only(void **state)
{
	(void)state;
	system_run(check_enroll);
}


static void check_failures(void)
{
	open_host();
	REFUSED("nobody", "--workspace", "/srv/new/work", "--template", "none");
	REFUSED("nobody", "--workspace", "/srv/new/work", "--key", "/mnt/none", "--as", "alice");
	REFUSED("nobody", "--workspace", "/srv/new/work", "--key", "/etc/passwd", "--as", "alice");
	REFUSED("nobody", "--workspace", "/srv/new/work", "--key", "/etc/passwd");
	REFUSED("nobody", "--workspace", "/etc/passwd/below");
	REFUSED("nobody", "--workspace", "/srv/a\"b");
	REFUSED("root", "--workspace", "/srv/new/work");
	/* Late: everything is made by then. */
	system_write("/etc/ssh/sshd_config.d/99-broken.conf", "Nonsense yes\n", 0644);
	REFUSED("nobody", "--workspace", "/srv/new/work", "--key", "/mnt/key.pub", "--as", "alice");
	CHECK(is_shown("undo: remove " DROP_IN "\n"));
	REFUSED("made-for-this", "--workspace", "/srv/new/work");
	CHECK(is_shown("undo: userdel -r made-for-this"));
}

static void an_enrolment_that_fails_leaves_the_host_as_it_was(void **state)
{
	(void)state;
	system_run(check_failures);
}

static void check_unenroll(void)
{
	_cleanup_account_ struct account account = { 0 };
	struct err err = { "" };

	open_host();
	system_write("/etc/stockade/profiles/other.ini", "[workspace]\npath = /srv/other\n", 0644);
	CHECK(ENROLL("--key", "/mnt/key.pub") == 0);
	CHECK(RUN_COMMAND(unenroll_main, "nobody") == 0);
	CHECK(access(PROFILE, F_OK) < 0 && access(DROP_IN, F_OK) < 0 && access(KEYS, F_OK) < 0);
	CHECK(shell("! grep -q nobody /etc/cron.deny") && has("/etc/cron.deny", "other\n"));
	CHECK(access("/srv/new/work", F_OK) == 0);
	CHECK(account_by_name(&account, "nobody", &err) == 0 && strcmp(account.shell, "/usr/sbin/nologin") == 0);
	/* The module stays while another account has a profile. */
	CHECK(has("/etc/pam.d/sshd", "account required pam_stockade.so\n"));
	CHECK(unlink("/etc/stockade/profiles/other.ini") == 0);
	CHECK(RUN_COMMAND(unenroll_main, "nobody") == 0);
	CHECK(shell("! grep -q stockade /etc/pam.d/sshd") && has("/etc/pam.d/sshd", "@include common-account\n"));
	CHECK(RUN_COMMAND(unenroll_main, "no-such-user") == 1);
}

static void unenroll_takes_back_all_but_the_account_and_its_files(void **state)
{
	(void)state;
	system_run(check_unenroll);
}

static void check_kept(void)
{
	open_host();
	system_profile("# by hand\n[workspace]\npath = /srv/build\n");
	CHECK(ENROLL("--key", "/mnt/key.pub", "--as", "alice") == 0);
	CHECK(has(PROFILE, "# by hand\n[workspace]\npath = /srv/build\n[actors]\nalice = SHA256:"));
	CHECK(shell("ssh-keygen -q -N '' -t ed25519 -f /mnt/key2"));
	CHECK(ENROLL("--key", "/mnt/key2.pub", "--as", "bob") == 0);
	CHECK(shell("grep -q '^alice = ' " PROFILE " && grep -q '^bob = ' " PROFILE) && shell("test $(wc -l <" KEYS ") = 2"));
}

static void a_profile_that_is_there_is_kept_and_gets_the_actor(void **state)
{
	(void)state;
	system_run(check_kept);
}

static void check_slice(void)
{
	char path[128];

	open_host();
	system_write(TEMPLATES "/build.ini", "[workspace]\npath = /srv/work/%u\n[account]\nmemory_max = 1G\ntasks_max = 64\n", 0644);
	CHECK(ENROLL("--template", "build") == 0);
	snprintf(path, sizeof(path), "/etc/systemd/system/user-%d.slice.d/50-stockade.conf", SYSTEM_USER);
	CHECK(has(path, "[Slice]\nMemoryMax=1073741824\nTasksMax=64\n"));
	CHECK(RUN_COMMAND(unenroll_main, "nobody") == 0);
	CHECK(access(path, F_OK) < 0);
}

static void the_accounts_limits_become_its_slices(void **state)
{
	(void)state;
	system_run(check_slice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_usage_is_2_and_changes_nothing),
		cmocka_unit_test(a_dry_run_tells_and_changes_nothing),
		cmocka_unit_test(a_dry_run_tells_just_the_steps_that_are_taken),
		cmocka_unit_test(a_failed_unenrolment_leaves_every_file_with_its_owner_and_mode),
		cmocka_unit_test(a_workspace_that_the_gateway_would_refuse_is_not_made),
		cmocka_unit_test(an_enrolled_account_has_all_its_parts_and_once_only),
		cmocka_unit_test(an_enrolment_that_fails_leaves_the_host_as_it_was),
		cmocka_unit_test(unenroll_takes_back_all_but_the_account_and_its_files),
		cmocka_unit_test(a_profile_that_is_there_is_kept_and_gets_the_actor),
		cmocka_unit_test(the_accounts_limits_become_its_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/*
 * The module in a real libpam, by a service directory of its own. It is built with paths below PAM_TEST_DIR: profiles
 * there, and a hook that is a script, so that every answer of the hook can be given.
 */
#include <fcntl.h>
#include <pwd.h>
#include <security/pam_appl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PROFILE PAM_TEST_DIR "/etc/profiles/daemon.ini"
#define HOOK PAM_TEST_DIR "/hook"

static int no_conversation(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
	(void)count;
	(void)messages;
	(void)responses;
	(void)data;
	return PAM_CONV_ERR;
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void set_hook(const char *script)
{
	unlink(HOOK);
	if (script)
		write_file(HOOK, script, 0755);
}

static pam_handle_t *start(const char *service, const char *user)
{
	static const struct pam_conv conversation = { no_conversation, NULL };
	pam_handle_t *pamh = NULL;

	assert_int_equal(pam_start_confdir(service, user, &conversation, PAM_TEST_DIR "/pam.d", &pamh), PAM_SUCCESS);
	return pamh;
}

static int account(const char *service, const char *user)
{
	pam_handle_t *pamh = start(service, user);
	int r = pam_acct_mgmt(pamh, 0);

	pam_end(pamh, r);
	return r;
}

static int setup(void **state)
{
	(void)state;
	write_file(PROFILE, "[workspace]\n", 0644);
	set_hook("#!/bin/sh\nexit 0\n");
	return 0;
}

static void ignores_accounts_without_a_profile_whatever_the_hook_says(void **state)
{
	(void)state;
	set_hook("#!/bin/sh\nexit 1\n");
	assert_int_equal(account("test", "nobody"), PAM_SUCCESS);
	assert_int_equal(account("test", "no-such-user"), PAM_SUCCESS);
}

static void ignores_root_even_with_a_profile(void **state)
{
	(void)state;
	set_hook("#!/bin/sh\nexit 1\n");
	write_file(PAM_TEST_DIR "/etc/profiles/root.ini", "[workspace]\n", 0644);
	assert_int_equal(account("test", "root"), PAM_SUCCESS);
	unlink(PAM_TEST_DIR "/etc/profiles/root.ini");
}

static void ignores_systemds_own_service(void **state)
{
	(void)state;
	set_hook("#!/bin/sh\nexit 1\n");
	assert_int_equal(account("systemd-user", "daemon"), PAM_SUCCESS);
}

static void ignores_all_where_there_are_no_profiles(void **state)
{
	(void)state;
	set_hook(NULL);
	assert_int_equal(rename(PAM_TEST_DIR "/etc", PAM_TEST_DIR "/away"), 0);
	assert_int_equal(account("test", "daemon"), PAM_SUCCESS);
	assert_int_equal(rename(PAM_TEST_DIR "/away", PAM_TEST_DIR "/etc"), 0);
}

static void passes_what_the_hook_lets_pass(void **state)
{
	(void)state;
	assert_int_equal(account("test", "daemon"), PAM_SUCCESS);
}

static void ends_the_login_that_the_hook_refuses(void **state)
{
	(void)state;
	set_hook("#!/bin/sh\n[ \"$2\" = account ] && exit 126\nexit 0\n");
	assert_int_equal(account("test", "daemon"), PAM_PERM_DENIED);
}

static char told[600];

static int note_conversation(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
	(void)data;
	assert_int_equal(count, 1);
	assert_int_equal(messages[0]->msg_style, PAM_ERROR_MSG);
	snprintf(told, sizeof(told), "%s", messages[0]->msg);
	*responses = calloc(1, sizeof(**responses));
	return PAM_SUCCESS;
}

static int account_told(const char *service, const char *script)
{
	static const struct pam_conv conversation = { note_conversation, NULL };
	pam_handle_t *pamh = NULL;
	int r;

	told[0] = '\0';
	set_hook(script);
	assert_int_equal(pam_start_confdir(service, "daemon", &conversation, PAM_TEST_DIR "/pam.d", &pamh), PAM_SUCCESS);
	r = pam_acct_mgmt(pamh, 0);
	pam_end(pamh, r);
	return r;
}

static void tells_the_client_the_hooks_sentence_and_nothing_else(void **state)
{
	(void)state;
	assert_int_equal(account_told("test", "#!/bin/sh\necho 'stockade: back on monday' >&2\necho more >&2\nexit 126\n"), PAM_PERM_DENIED);
	assert_string_equal(told, "stockade: back on monday");
	assert_int_equal(account_told("test", "#!/bin/sh\necho 'ld.so: object missing' >&2\nexit 126\n"), PAM_PERM_DENIED);
	assert_string_equal(told, "");
	assert_int_equal(account_told("test", "#!/bin/sh\necho 'stockade: all is well' >&2\n"), PAM_SUCCESS);
	assert_string_equal(told, "");
	assert_int_equal(account_told("test", "#!/bin/sh\nyes 'stockade: a long one' | head -c 300000 >&2\nexit 126\n"), PAM_PERM_DENIED);
	assert_string_equal(told, "stockade: a long one");
}

static void takes_no_argument(void **state)
{
	static const char lines[] = "account required pam_permit.so\naccount required " PAM_TEST_DIR "/pam_stockade.so debug\n"
				    "session required pam_permit.so\nsession required " PAM_TEST_DIR "/pam_stockade.so debug\n";
	pam_handle_t *pamh;

	(void)state;
	write_file(PAM_TEST_DIR "/pam.d/argument", lines, 0644);
	assert_int_equal(account_told("argument", "#!/bin/sh\nexit 0\n"), PAM_PERM_DENIED);
	assert_string_equal(told, "stockade: pam_stockade.so takes no argument, and the PAM service argument gives it 'debug'");
	assert_int_equal(account("argument", "nobody"), PAM_SUCCESS);
	pamh = start("argument", "daemon");
	assert_int_equal(pam_open_session(pamh, 0), PAM_SESSION_ERR);
	pam_end(pamh, PAM_SESSION_ERR);
}

static void fails_closed_without_the_hook(void **state)
{
	(void)state;
	set_hook(NULL);
	assert_int_equal(account("test", "daemon"), PAM_PERM_DENIED);
}

static void survives_a_hook_that_crashes(void **state)
{
	(void)state;
	set_hook("#!/bin/sh\nkill -SEGV $$\n");
	assert_int_equal(account("test", "daemon"), PAM_PERM_DENIED);
	assert_int_equal(account("test", "nobody"), PAM_SUCCESS);
}

static void finds_a_groups_profile(void **state)
{
	(void)state;
	unlink(PROFILE);
	set_hook("#!/bin/sh\nexit 126\n");
	assert_int_equal(account("test", "daemon"), PAM_SUCCESS);
	write_file(PAM_TEST_DIR "/etc/profiles/@daemon.ini", "[workspace]\n", 0644);
	assert_int_equal(account("test", "daemon"), PAM_PERM_DENIED);
	unlink(PAM_TEST_DIR "/etc/profiles/@daemon.ini");
}

static void tells_the_hook_phase_user_host_and_key_and_nothing_else(void **state)
{
	char text[2048] = "";
	pam_handle_t *pamh;
	int fd;

	(void)state;
	set_hook("#!/bin/sh\nenv | grep -v '^PWD=\\|^SHLVL=\\|^_=' | sort >" PAM_TEST_DIR "/seen; echo \"$@\" >>" PAM_TEST_DIR "/seen\n");
	setenv("LEAK", "1", 1);
	pamh = start("test", "daemon");
	pam_set_item(pamh, PAM_RHOST, "192.0.2.7");
	pam_putenv(pamh, "SSH_AUTH_INFO_0=publickey ssh-ed25519 AAAA");
	pam_putenv(pamh, "LD_PRELOAD=/tmp/x");
	assert_int_equal(pam_open_session(pamh, 0), PAM_SUCCESS);
	fd = open(PAM_TEST_DIR "/seen", O_RDONLY);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_string_equal(text, "PAM_RHOST=192.0.2.7\nPAM_SERVICE=test\nPAM_USER=daemon\nSSH_AUTH_INFO_0=publickey ssh-ed25519 AAAA\n--hook open\n");
	assert_int_equal(pam_close_session(pamh, 0), PAM_SUCCESS);
	pam_end(pamh, PAM_SUCCESS);
}

static void a_failing_open_fails_the_session(void **state)
{
	pam_handle_t *pamh;

	(void)state;
	set_hook("#!/bin/sh\nexit 125\n");
	pamh = start("test", "daemon");
	assert_int_equal(pam_open_session(pamh, 0), PAM_SESSION_ERR);
	pam_end(pamh, PAM_SESSION_ERR);
}

static void caught(int signum)
{
	(void)signum;
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void leaves_its_host_process_as_it_was(void **state)
{
	struct sigaction mine = { .sa_handler = caught }, after;
	char before_cwd[512], after_cwd[512];
	unsigned before_fds;
	sigset_t before_mask, after_mask;

	(void)state;
	/* libpam and the name service keep what they open once. */
	account("test", "daemon");
	umask(027);
	assert_int_equal(sigaction(SIGCHLD, &mine, NULL), 0);
	sigprocmask(SIG_SETMASK, NULL, &before_mask);
	assert_non_null(getcwd(before_cwd, sizeof(before_cwd)));
	before_fds = open_descriptors();
	assert_int_equal(account("test", "daemon"), PAM_SUCCESS);
	assert_int_equal(umask(022), 027);
	assert_int_equal(sigaction(SIGCHLD, NULL, &after), 0);
	assert_true(after.sa_handler == caught);
	sigprocmask(SIG_SETMASK, NULL, &after_mask);
	assert_memory_equal(&before_mask, &after_mask, sizeof(before_mask));
	assert_non_null(getcwd(after_cwd, sizeof(after_cwd)));
	assert_string_equal(before_cwd, after_cwd);
	assert_int_equal(open_descriptors(), before_fds);
	signal(SIGCHLD, SIG_DFL);
}

static int close_status(const char *service)
{
	pam_handle_t *pamh = start(service, "daemon");
	int r = pam_close_session(pamh, 0);

	pam_end(pamh, r);
	return r;
}

static void closes_what_was_open_when_the_profile_went(void **state)
{
	char path[sizeof(PAM_TEST_DIR) + 64];

	(void)state;
	set_hook("#!/bin/sh\nexit 1\n");
	unlink(PROFILE);
	assert_int_equal(close_status("test"), PAM_SUCCESS);
	snprintf(path, sizeof(path), PAM_TEST_DIR "/connections/%u", getpwnam("daemon")->pw_uid);
	assert_int_equal(mkdir(PAM_TEST_DIR "/connections", 0755), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(close_status("test"), PAM_SESSION_ERR);
	assert_int_equal(close_status("systemd-user"), PAM_SUCCESS);
	assert_int_equal(account("test", "daemon"), PAM_SUCCESS);
	rmdir(path);
	rmdir(PAM_TEST_DIR "/connections");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(ignores_accounts_without_a_profile_whatever_the_hook_says, setup),
		cmocka_unit_test_setup(ignores_root_even_with_a_profile, setup),
		cmocka_unit_test_setup(ignores_systemds_own_service, setup),
		cmocka_unit_test_setup(ignores_all_where_there_are_no_profiles, setup),
		cmocka_unit_test_setup(passes_what_the_hook_lets_pass, setup),
		cmocka_unit_test_setup(ends_the_login_that_the_hook_refuses, setup),
		cmocka_unit_test_setup(tells_the_client_the_hooks_sentence_and_nothing_else, setup),
		cmocka_unit_test_setup(takes_no_argument, setup),
		cmocka_unit_test_setup(fails_closed_without_the_hook, setup),
		cmocka_unit_test_setup(survives_a_hook_that_crashes, setup),
		cmocka_unit_test_setup(finds_a_groups_profile, setup),
		cmocka_unit_test_setup(tells_the_hook_phase_user_host_and_key_and_nothing_else, setup),
		cmocka_unit_test_setup(a_failing_open_fails_the_session, setup),
		cmocka_unit_test_setup(leaves_its_host_process_as_it_was, setup),
		cmocka_unit_test_setup(closes_what_was_open_when_the_profile_went, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/*
 * Finds services of PAM other than sshd that let the account in. The module confines nothing there: it refuses cron and at, and
 * elsewhere only says whether the profile is good. What starts the login shell ends in the gateway where that is the shell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "layout.h"
#include "text.h"

#define DEPTH_MAX 8

struct service {
	struct check *check;
	const char *name;
	unsigned depth;
	bool has_module, has_refusal, has_account;
};

static void look_at_line(void *data, unsigned number, char *line);

static void look_at_file(struct service *service, const char *name)
{
	char path[300], *text;

	if (strchr(name, '/') || service->depth == DEPTH_MAX)
		return;
	snprintf(path, sizeof(path), LAYOUT_PAM_DIR "/%.250s", name);
	service->depth++;
	text = check_read(service->check, path);
	check_lines(text, look_at_line, service);
	free(text);
	service->depth--;
}

/* "user != NAME", as the cure writes it; "deny" in the service's own file. */
static bool refuses(const struct service *service, const char *module, const char *words)
{
	char wanted[300];

	snprintf(wanted, sizeof(wanted), "user != %s", service->check->user);
	if (text_has_suffix(module, "pam_succeed_if.so"))
		return text_has_suffix(words, wanted);
	return text_has_suffix(module, "pam_deny.so") && service->depth == 1;
}

static void look_at_line(void *data, unsigned number, char *line)
{
	struct service *service = data;
	char *save = NULL, *type, *control, *module, words[512];

	(void)number;
	line[strcspn(line, "#\r")] = '\0';
	type = strtok_r(line, " \t", &save);
	control = type ? strtok_r(NULL, " \t", &save) : NULL;
	if (!control)
		return;
	if (strcmp(type, "@include") == 0) {
		look_at_file(service, control);
		return;
	}
	/* [value=action …] is one word. */
	if (control[0] == '[')
		while (control && !strchr(control, ']'))
			control = strtok_r(NULL, " \t", &save);
	module = control ? strtok_r(NULL, " \t", &save) : NULL;
	type += *type == '-';
	if (!module || (strcmp(type, "account") != 0 && strcmp(type, "auth") != 0))
		return;
	if (strcmp(control, "include") == 0 || strcmp(control, "substack") == 0) {
		look_at_file(service, module);
		return;
	}
	snprintf(words, sizeof(words), "%s", save ? save : "");
	words[strcspn(words, "\n")] = '\0';
	while (words[0] && strchr(" \t", words[strlen(words) - 1]))
		words[strlen(words) - 1] = '\0';
	service->has_account |= strcmp(type, "account") == 0;
	service->has_module |= strcmp(type, "account") == 0 && text_has_suffix(module, "pam_stockade.so");
	if (strcmp(control, "required") == 0 || strcmp(control, "requisite") == 0)
		service->has_refusal |= refuses(service, module, words);
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

static void look_at_service(void *data, const char *path)
{
	/* What includes them is looked at; what only root or the account itself starts, or changes the account database. */
	static const char *const harmless[] = { "sshd", "other", "systemd-user", "runuser", "runuser-l", "chfn", "chsh", "chage", "passwd", "chpasswd", "newusers",
		"useradd", "userdel", "usermod", "groupadd", "groupdel", "groupmod", "groupmems", "chgpasswd", "sudo", "sudo-i", "polkit-1", "ppp", "vlock", "screen",
		"cups", NULL };
	static const char *const shells[] = { "login", "su", "su-l", "remote", "rlogin", "telnetd", NULL };
	struct check *check = data;
	struct service service = { .check = check, .name = strrchr(path, '/') + 1 };
	const char *shell = check->decision.account.shell;
	bool is_job = is_one_of(service.name, layout_job_services);
	struct check_finding *finding;

	if (text_has_prefix(service.name, "common-") || strchr(service.name, '.') || text_has_suffix(service.name, "~") || is_one_of(service.name, harmless))
		return;
	if (is_one_of(service.name, shells) && shell && (strcmp(shell, STOCKADE_GATEWAY) == 0 || text_has_suffix(shell, "/nologin") || text_has_suffix(shell, "/false")))
		return;
	look_at_file(&service, service.name);
	if (service.has_refusal || !service.has_account || (is_job && service.has_module))
		return;
	finding = check_add(check, CHECK_PAM_OTHER_SERVICE, path, "service %s lets the account in, and what it does there is outside the fence", service.name);
	if (is_job)
		check_cure(finding, "echo '" LAYOUT_PAM_ACCOUNT "' >>" LAYOUT_PAM_DIR "/%s", service.name);
	else
		check_cure(finding, "echo 'account required pam_succeed_if.so quiet user != %s' >>" LAYOUT_PAM_DIR "/%s", check->user, service.name);
}

void check_services(struct check *check)
{
	check_entries(check, LAYOUT_PAM_DIR, look_at_service, check);
}

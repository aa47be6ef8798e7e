/* SPDX-License-Identifier: ISC */
/* Finds what is wrong with the module's place in sshd's PAM stack, pam.conf(5). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "layout.h"
#include "text.h"

#define DEPTH_MAX 8

struct pam {
	struct check *check;
	char file[300];
	unsigned depth;
	bool has_account, has_session, has_systemd; /* has_systemd: seen so far */
	bool is_early;                              /* our session line came before pam_systemd's */
};

static void look_at_line(void *data, unsigned number, char *line);

static void look_at_file(struct pam *pam, const char *name)
{
	char before[sizeof(pam->file)], *text;

	if (strchr(name, '/') || pam->depth == DEPTH_MAX)
		return;
	memcpy(before, pam->file, sizeof(before));
	snprintf(pam->file, sizeof(pam->file), LAYOUT_PAM_DIR "/%.250s", name);
	pam->depth++;
	text = check_read(pam->check, pam->file);
	check_lines(text, look_at_line, pam);
	free(text);
	pam->depth--;
	memcpy(pam->file, before, sizeof(before));
}

/* The next word; [value=action …] is one. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t");
	size_t len = *word == '[' ? strcspn(word, "]") + (strchr(word, ']') != NULL) : strcspn(word, " \t");

	*line = word + len + (word[len] != '\0');
	word[len] = '\0';
	return word;
}

static bool counts(const char *control)
{
	if (control[0] == '[')
		return !strstr(control, "default=ignore") && !strstr(control, "default=ok") && !strstr(control, "default=done");
	return strcmp(control, "required") == 0 || strcmp(control, "requisite") == 0;
}

/* rest: the line behind the module. The cure leaves the line that stockade enroll knows. */
static void look_at_arguments(struct pam *pam, unsigned number, const char *rest)
{
	char where[512], file[1024];

	rest += strspn(rest, " \t");
	if (!*rest)
		return;
	snprintf(where, sizeof(where), "%s:%u", pam->file, number);
	check_cure(check_add(pam->check, CHECK_PAM_ARGUMENT, where, "pam_stockade.so takes no argument, and is given '%.*s'", (int)strcspn(rest, " \t"), rest),
		"sed -i '%u{s/pam_stockade\\.so[^#]*/pam_stockade.so /;s/ $//}' %s", number, check_quote(file, sizeof(file), pam->file));
}

static void look_at_ours(struct pam *pam, unsigned number, const char *type, const char *control, bool is_module)
{
	char where[512], file[1024];

	if (strcmp(type, "account") == 0)
		pam->has_account = true;
	if (strcmp(type, "session") == 0) {
		pam->has_session = true;
		pam->is_early |= !pam->has_systemd;
	}
	if (!is_module || counts(control))
		return;
	snprintf(where, sizeof(where), "%s:%u", pam->file, number);
	check_cure(check_add(pam->check, CHECK_PAM_NOT_REQUIRED, where, "%s %s pam_stockade.so: a refusal of the module's does not end the login", type, control),
		"sed -i '%uc\\%s required pam_stockade.so' %s", number, type, check_quote(file, sizeof(file), pam->file));
}

static void add_user_environment(struct pam *pam, unsigned number)
{
	char path[4400], quoted[4600];

	/* Debian's own line; without the file it does nothing, and no command can make one. */
	snprintf(path, sizeof(path), "%s/.pam_environment", pam->check->decision.account.home);
	if (check_exists(pam->check, path))
		check_cure(check_add(pam->check, CHECK_PAM_USER_ENVIRONMENT, path, "pam_env.so takes it in (%s:%u), and LD_PRELOAD in it runs code in the gateway itself",
				   pam->file, number),
			"runuser -u %s -- rm %s", pam->check->user, check_quote(quoted, sizeof(quoted), path));
}

static void look_at_line(void *data, unsigned number, char *line)
{
	struct pam *pam = data;
	const char *type, *control, *module;

	line[strcspn(line, "#")] = '\0';
	type = next_word(&line);
	type += *type == '-';
	control = next_word(&line);
	if (strcmp(type, "@include") == 0) {
		look_at_file(pam, control);
		return;
	}
	module = next_word(&line);
	if (strcmp(control, "include") == 0 || strcmp(control, "substack") == 0)
		look_at_file(pam, module);
	else if (strcmp(type, "session") == 0 && text_has_suffix(module, "pam_systemd.so"))
		pam->has_systemd = true;
	else if (text_has_suffix(module, "pam_env.so") && strstr(line, "user_readenv=1"))
		add_user_environment(pam, number);
	else if (text_has_suffix(module, "pam_stockade.so")) {
		look_at_ours(pam, number, type, control, true);
		look_at_arguments(pam, number, line);
	} else if (text_has_suffix(module, "pam_exec.so") && strstr(line, "stockade-gateway --hook"))
		look_at_ours(pam, number, type, control, false);
}

static void find_missing(struct pam *pam)
{
	if (!pam->has_account)
		check_cure(check_add(pam->check, CHECK_PAM_MISSING, LAYOUT_PAM_SSHD, "no account line of pam_stockade.so: a broken profile is found only after the login"),
			"echo '" LAYOUT_PAM_ACCOUNT "' >>" LAYOUT_PAM_SSHD);
	if (!pam->has_session)
		check_cure(check_add(pam->check, CHECK_PAM_MISSING, LAYOUT_PAM_SSHD,
				   "no session line of pam_stockade.so: the commands of a connection share no /tmp, and a killed one's is swept late"),
			"echo '" LAYOUT_PAM_SESSION "' >>" LAYOUT_PAM_SSHD);
}

void check_pam(struct check *check)
{
	struct pam pam = { .check = check };

	if (!check_exists(check, LAYOUT_PAM_SSHD))
		return;
	look_at_file(&pam, "sshd");
	check->has_pam = pam.has_session;
	find_missing(&pam);
	if (pam.is_early && pam.has_systemd)
		check_cure(check_add(check, CHECK_PAM_ORDER, LAYOUT_PAM_SSHD,
				   "the session line of pam_stockade.so stands before pam_systemd.so's: it looks for a user manager that is not there yet"),
			"sed -i '/^session.*pam_stockade\\.so/d' " LAYOUT_PAM_SSHD " && echo '" LAYOUT_PAM_SESSION "' >>" LAYOUT_PAM_SSHD);
}

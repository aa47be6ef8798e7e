/* SPDX-License-Identifier: ISC */
/*
 * Finds what sshd lets past the gateway, by its effective configuration for the account (sshd -T -C). What a Match block may
 * hold is cured in a drop-in of the account's that is read before all others: sshd takes the first value it meets.
 */
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "check.h"
#include "layout.h"
#include "text.h"

#define SSHD "/usr/sbin/sshd"
#define RELOAD SSHD " -t && systemctl reload ssh"
#define OUTPUT_MAX 65536
#define MATCHES_MAX 32
#define INCLUDES_MAX 16 /* sshd_config(5) */
/* Comments out every line that the pattern, given twice, fits. */
#define COMMENT_OUT "grep -rlisE '%s' /etc/ssh/sshd_config /etc/ssh/sshd_config.d | xargs -r sed -i -E 's/%s/#&/I'"

struct setting {
	enum check_id id;
	const char *key;
	const char *line;       /* of sshd as a whole; NULL: as the account's drop-in has it */
	bool is_forwarding;     /* DisableForwarding covers it, more or less */
	const char *why;
};

static const struct setting settings[] = {
	{ CHECK_SSHD_TCP_FORWARDING, "allowtcpforwarding", NULL, true, "ssh -L, -R, -D and -W reach the host's network past the fence" },
	{ CHECK_SSHD_STREAMLOCAL_FORWARDING, "allowstreamlocalforwarding", NULL, true,
		"ssh -L SOCKET reaches the account's user manager, and that runs commands outside the fence" },
	{ CHECK_SSHD_AGENT_FORWARDING, "allowagentforwarding", NULL, true, "a client's agent is offered to every process of the account" },
	{ CHECK_SSHD_X11_FORWARDING, "x11forwarding", NULL, true, "sshd runs xauth outside the fence, with words of the client's (CVE-2016-3115)" },
	{ CHECK_SSHD_TUNNEL, "permittunnel", NULL, true, "ssh -w gives a client a network device of the host" },
	{ CHECK_SSHD_USER_RC, "permituserrc", NULL, false, "sshd runs ~/.ssh/rc outside the fence" },
	{ CHECK_SSHD_USER_ENVIRONMENT, "permituserenvironment", "PermitUserEnvironment no", false, "~/.ssh/environment sets LD_PRELOAD for the gateway itself" },
	{ CHECK_SSHD_USE_PAM, "usepam", "UsePAM yes", false, "without PAM there is no user manager and no private directory of a connection" },
};

static void cure(const struct check *check, struct check_finding *finding, bool is_global, const char *line)
{
	if (is_global)
		check_cure(finding, "printf '%%s\\n' '%s' >>" LAYOUT_SSHD_EARLY_ALL " && " RELOAD, line);
	else
		check_cure(finding, "printf 'Match User %s\\n    %%s\\n' '%s' >>" LAYOUT_SSHD_EARLY " && " RELOAD, check->user, line, check->user);
}

static const char *value_of(const struct check *check, const char *key)
{
	return check_config_value(&check->sshd, key);
}

static void find_settings(struct check *check)
{
	bool has_disable = strcmp(value_of(check, "disableforwarding"), "yes") == 0;
	char only[256] = "", lines[256] = "";

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const struct setting *setting = &settings[i];
		const char *value = value_of(check, setting->key), *line = setting->line ? setting->line : layout_sshd_line(setting->key);

		if (strcmp(value, line + strlen(setting->key) + 1) == 0 || !*value)
			continue;
		if (setting->is_forwarding && has_disable) {
			snprintf(only + strlen(only), sizeof(only) - strlen(only), " %s", setting->key);
			snprintf(lines + strlen(lines), sizeof(lines) - strlen(lines), "%s%s", *lines ? "' '" : "", line);
			continue;
		}
		cure(check, check_add(check, setting->id, "sshd -T", "%s is %s: %s", setting->key, value, setting->why), setting->line != NULL, line);
	}
	if (!*only)
		return;
	check_cure(check_add(check, CHECK_SSHD_DISABLE_FORWARDING_ONLY, "sshd -T",
			   "DisableForwarding yes is alone, and versions of sshd forget some kinds (CVE-2025-32728): also set by name%s", only),
		"{ echo 'Match User %s'; printf '    %%s\\n' '%s'; } >>" LAYOUT_SSHD_EARLY " && " RELOAD, check->user, lines, check->user);
}

static bool is_gateway_command(const char *command)
{
	size_t len = strlen(STOCKADE_GATEWAY);

	return text_has_prefix(command, STOCKADE_GATEWAY) && (!command[len] || text_has_prefix(command + len, " --as "));
}

static void find_gateway(struct check *check)
{
	const char *command = value_of(check, "forcecommand"), *shell = check->decision.account.shell;
	bool is_shell = shell && strcmp(shell, STOCKADE_GATEWAY) == 0, has_none = !*command || strcmp(command, "none") == 0;
	struct check_finding *finding = NULL;

	if (strcmp(command, "exec " STOCKADE_GATEWAY) == 0)
		return;
	if (text_has_prefix(command, "exec ") && is_gateway_command(command + strlen("exec ")) && !is_shell)
		return;
	if (is_shell && !has_none)
		finding = check_add(check, CHECK_SSHD_NO_GATEWAY, "sshd -T",
			"ForceCommand is \"%s\": as the login shell the gateway takes that for the client's text, and runs it in place of every request", command);
	else if (is_gateway_command(command))
		finding = check_add(check, CHECK_SSHD_FORCECOMMAND_NOT_EXEC, "sshd -T",
			"ForceCommand is \"%s\": without exec some shells stay as the parent of the gateway, and answer signals in its place", command);
	else if (has_none && is_shell)
		finding = check_add(check, CHECK_SSHD_LOGIN_SHELL_ONLY, "sshd -T",
			"the gateway is only the login shell: internal-sftp and the ssh signal request go past it");
	else if (!(has_none && check->has_keys_of_form_k))
		finding = check_add(check, CHECK_SSHD_NO_GATEWAY, "sshd -T", "ForceCommand is \"%s\" and the login shell is %s: requests run outside the fence",
			command, shell ? shell : "-");
	if (finding)
		cure(check, finding, false, layout_sshd_line("forcecommand"));
}

/* AcceptEnv adds up over files and blocks: only taking the line out helps. */
static void cure_acceptenv(struct check_finding *finding, const char *pattern)
{
	char escaped[256], line[400];
	size_t len = 0;

	for (; *pattern && len + 4 < sizeof(escaped); pattern++) {
		if (strchr("*?.[]^$|/", *pattern))
			len += (size_t)snprintf(escaped + len, sizeof(escaped) - len, "[%c]", *pattern == '^' ? '.' : *pattern);
		else
			escaped[len++] = *pattern;
	}
	escaped[len] = '\0';
	if (strpbrk(escaped, "'\\\n"))
		snprintf(escaped, sizeof(escaped), "[*]");
	snprintf(line, sizeof(line), "^[[:space:]]*AcceptEnv[[:space:]](.*[[:space:]])?%s([[:space:]]|$)", escaped);
	check_cure(finding, COMMENT_OUT " && " RELOAD, line, line);
}

static void find_acceptenv(struct check *check)
{
	for (size_t i = 0; i < check->sshd.keys.len; i++) {
		const char *pattern = check->sshd.values.items[i];

		if (strcmp(check->sshd.keys.items[i], "acceptenv") == 0 && check_config_accepts_danger(pattern))
			cure_acceptenv(check_add(check, CHECK_SSHD_ACCEPTENV, "sshd -T",
					       "AcceptEnv %s: the client sets what sshd tells the gateway, or what its loader obeys", pattern),
				pattern);
	}
}

static void find_auth_info(struct check *check)
{
	bool is_told = strcmp(value_of(check, "exposeauthinfo"), "yes") == 0 ||
		(check->has_pam && strcmp(value_of(check, "usepam"), "yes") == 0);

	if (is_told || !check->has_profile || check->profile.actors.len == 0 || check->has_keys_of_form_k)
		return;
	cure(check, check_add(check, CHECK_SSHD_EXPOSE_AUTH_INFO, "sshd -T",
		    "the profile has [actors], and neither ExposeAuthInfo nor the PAM module says whose key it is: nobody is let in"),
		false, layout_sshd_line("exposeauthinfo"));
}

static uint64_t number_of(const char *text)
{
	char digits[24];
	uint64_t number;

	snprintf(digits, sizeof(digits), "%.*s", (int)strspn(text, "0123456789"), text);
	return text_number(digits, UINT64_MAX, &number) ? 0 : number;
}

static void find_numbers(struct check *check)
{
	const struct profile *profile = &check->profile;
	uint64_t sessions = number_of(value_of(check, "maxsessions")), starts = number_of(value_of(check, "maxstartups")), wanted;
	char line[64];

	if (number_of(value_of(check, "clientaliveinterval")) == 0)
		cure(check, check_add(check, CHECK_SSHD_CLIENT_ALIVE, "sshd -T",
			    "ClientAliveInterval is 0: the command of a client whose machine vanished runs on, and holds its place"),
			false, layout_sshd_line("clientaliveinterval"));
	if (!check->has_profile)
		return;
	wanted = profile->actor_sessions_max < profile->sessions_max ? profile->actor_sessions_max : profile->sessions_max;
	if (wanted == PROFILE_NONE)
		return;
	if (sessions < wanted) {
		snprintf(line, sizeof(line), "MaxSessions %llu", (unsigned long long)wanted);
		cure(check, check_add(check, CHECK_SSHD_MAX_SESSIONS, "sshd -T", "MaxSessions is %llu, and one client may run %llu commands at once by the profile",
			    (unsigned long long)sessions, (unsigned long long)wanted), false, line);
	}
	if (starts < wanted) {
		static const char pattern[] = "^[[:space:]]*MaxStartups";

		/* Of several lines OpenSSH 9.2 takes the last one, against its rule. */
		check_cure(check_add(check, CHECK_SSHD_MAX_SESSIONS, "sshd -T",
				   "MaxStartups begins to drop at %llu connections, and one client may run %llu commands at once by the profile",
				   (unsigned long long)starts, (unsigned long long)wanted),
			COMMENT_OUT " && echo 'MaxStartups %llu:30:%llu' >>" LAYOUT_SSHD_EARLY_ALL " && " RELOAD, pattern, pattern, (unsigned long long)wanted,
			(unsigned long long)wanted * 10);
	}
}

/* "FILE line N:" or "FILE: line N:" of sshd's complaint. */
static void cure_broken(struct check_finding *finding, const char *said)
{
	const char *line = strstr(said, " line "), *begin = line;
	char file[512], quoted[1024];
	uint64_t number = line ? number_of(line + strlen(" line ")) : 0;

	while (begin && begin > said && begin[-1] != ' ' && begin[-1] != '\n')
		begin--;
	if (begin)
		snprintf(file, sizeof(file), "%.*s", (int)(line - begin - (line > begin && line[-1] == ':')), begin);
	if (number && file[0] == '/')
		check_cure(finding, "sed -i '%llus/^/#/' %s && " SSHD " -t", (unsigned long long)number, check_quote(quoted, sizeof(quoted), file));
	else
		check_cure(finding, SSHD " -t   # says what is wrong");
}

/* As it is for a connection that the words describe, "sshd -T -C". */
static bool read_config(struct check *check, const char *connection)
{
	char *text = malloc(OUTPUT_MAX);
	const char *argv[] = { SSHD, "-T", "-C", connection, NULL };
	struct err err;
	int status;

	check_config_release(&check->sshd);
	check->sshd = (struct check_config)CHECK_CONFIG_INIT;
	check->has_sshd = false;
	status = text ? check_run(argv, text, OUTPUT_MAX) : -1;
	if (status == 0 && check_config_parse(&check->sshd, text, &err) == 0)
		check->has_sshd = true;
	else if (status == 127)
		check_cure(check_add(check, CHECK_SSHD_CONFIG_BROKEN, SSHD, "cannot be run"), "apt-get install openssh-server");
	else
		cure_broken(check_add(check, CHECK_SSHD_CONFIG_BROKEN, "sshd -T", "sshd does not take its configuration: %.*s",
				    text ? (int)strcspn(text, "\r\n") : 0, text ? text : ""),
			text ? text : "");
	free(text);
	return check->has_sshd;
}

void check_sshd_config(struct check *check)
{
	check_keys(check);
	find_gateway(check);
	find_settings(check);
	find_acceptenv(check);
	find_auth_info(check);
	find_numbers(check);
}

/* --- blocks that go by where the client comes from ---------------------------------------- */

/* What the connection's configuration adds to what is known of the others. */
static void try_connection(struct check *check, const char *connection)
{
	size_t known = check->len, len = known;

	if (!read_config(check, connection))
		return;
	check_sshd_config(check);
	for (size_t i = known; i < check->len; i++) {
		bool is_new = true;

		for (size_t j = 0; j < known; j++)
			is_new &= check->findings[j].id != check->findings[i].id;
		if (!is_new)
			continue;
		snprintf(check->findings[i].where, sizeof(check->findings[i].where), "sshd -T -C %s", connection);
		check->findings[len++] = check->findings[i];
	}
	check->len = len;
}

struct blocks {
	struct check *check;
	unsigned depth, tried;
};

static void look_at_config(struct blocks *blocks, const char *path);

static void look_at_config_line(void *data, unsigned number, char *line)
{
	struct blocks *blocks = data;
	char connection[900], path[4096], *save = NULL, *word;
	glob_t found;

	(void)number;
	if (check_config_match(line, blocks->check->user, connection, sizeof(connection))) {
		if (blocks->tried++ < MATCHES_MAX)
			try_connection(blocks->check, connection);
		return;
	}
	word = strtok_r(line, " \t=\"", &save);
	if (!word || strcasecmp(word, "include") != 0)
		return;
	while ((word = strtok_r(NULL, " \t\"", &save))) {
		snprintf(path, sizeof(path), "%s%s", word[0] == '/' ? "" : "/etc/ssh/", word);
		if (glob(path, 0, NULL, &found) != 0)
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++)
			look_at_config(blocks, found.gl_pathv[i]);
		globfree(&found);
	}
}

static void look_at_config(struct blocks *blocks, const char *path)
{
	char *text = blocks->depth < INCLUDES_MAX ? check_read(blocks->check, path) : NULL;

	blocks->depth++;
	check_lines(text, look_at_config_line, blocks);
	blocks->depth--;
	free(text);
}

void check_sshd(struct check *check)
{
	struct blocks blocks = { .check = check };
	struct check_config own;
	bool has_keys_of_form_k;
	char connection[900];

	check_config_match("Match Address 127.0.0.1", check->user, connection, sizeof(connection));
	if (!read_config(check, connection))
		return;
	check_sshd_config(check);
	own = check->sshd;
	has_keys_of_form_k = check->has_keys_of_form_k;
	check->sshd = (struct check_config)CHECK_CONFIG_INIT;
	look_at_config(&blocks, "/etc/ssh/sshd_config");
	check_config_release(&check->sshd);
	check->sshd = own;
	check->has_sshd = true;
	check->has_keys_of_form_k = has_keys_of_form_k;
}

/* SPDX-License-Identifier: ISC */
/*
 * Owns which accounts are looked at, in which order the finders go, and how findings are shown:
 *   1. start_account()  account, profile, sshd's configuration
 *   2. the finders      each adds what it finds, and changes nothing
 *   3. show             text or JSON; every text of others escaped
 */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <json-c/json.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text.h"
#include "words.h"

#define FILE_MAX (1u << 22)
#define USAGE_STATUS 2

#define CHECK_ROW(id, name, severity, meaning) { name, severity, meaning },
const struct check_row check_table[CHECK_COUNT] = { CHECK_FINDINGS(CHECK_ROW) };

struct output {
	struct json_object *list; /* for --json, else NULL */
	int worst;
	struct check_host_seen host;
};

/* --- what finders use --------------------------------------------------------------- */

struct check_finding *check_add(struct check *check, enum check_id id, const char *where, const char *format, ...)
{
	struct check_finding *findings = reallocarray(check->findings, check->len + 1, sizeof(*findings)), *finding = &check->spill;
	va_list args;

	if (findings) {
		check->findings = findings;
		finding = &findings[check->len++];
	}
	*finding = (struct check_finding){ .id = id, .severity = check_table[id].severity };
	snprintf(finding->user, sizeof(finding->user), "%s", check->user ? check->user : "-");
	snprintf(finding->where, sizeof(finding->where), "%s", where);
	va_start(args, format);
	vsnprintf(finding->what, sizeof(finding->what), format, args);
	va_end(args);
	return finding;
}

void check_cure(struct check_finding *finding, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(finding->cure, sizeof(finding->cure), format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(finding->cure))
		snprintf(finding->cure, sizeof(finding->cure), "# a name in the command is too long to print");
}

#define TOO_LONG "'/a name too long to print'"

/* For bash, and sh of POSIX 2024: what a terminal would not show as it is becomes \xNN. False where it does not fit. */
static bool quote_bytes(char *out, size_t size, const char *word)
{
	size_t len = (size_t)snprintf(out, size, "$'");

	for (; *word && len + 8 < size; word++) {
		unsigned char byte = (unsigned char)*word;

		if (byte < 0x20 || byte >= 0x7f || byte == '\\' || byte == '\'')
			len += (size_t)snprintf(out + len, size - len, "\\x%02x", byte);
		else
			out[len++] = (char)byte;
	}
	snprintf(out + len, size - len, "'");
	return !*word;
}

const char *check_quote(char *out, size_t size, const char *word)
{
	char *quoted;

	for (const char *at = word; *at; at++)
		if ((unsigned char)*at < 0x20 || (unsigned char)*at >= 0x7f) {
			if (!quote_bytes(out, size, word))
				snprintf(out, size, "%s", TOO_LONG);
			return out;
		}
	quoted = words_quote(word);
	snprintf(out, size, "%s", quoted && strlen(quoted) < size ? quoted : TOO_LONG);
	free(quoted);
	return out;
}

char *check_read(const struct check *check, const char *path)
{
	int fd = openat(check->root_fd, path + strspn(path, "/"), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t len = -1;
	char *text = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < FILE_MAX)
		text = calloc(1, (size_t)st.st_size + 1);
	if (text)
		len = read(fd, text, (size_t)st.st_size);
	close(fd);
	if (len >= 0)
		return text;
	free(text);
	return NULL;
}

bool check_exists(const struct check *check, const char *path)
{
	struct stat st;

	return fstatat(check->root_fd, path + strspn(path, "/"), &st, AT_SYMLINK_NOFOLLOW) == 0;
}

void check_lines(char *text, void (*each)(void *data, unsigned number, char *line), void *data)
{
	unsigned number = 1;

	for (char *next; text && *text; text = next, number++) {
		next = text + strcspn(text, "\n");
		if (*next)
			*next++ = '\0';
		each(data, number, text);
	}
}

void check_entries(const struct check *check, const char *directory, void (*each)(void *data, const char *path), void *data)
{
	int fd = openat(check->root_fd, directory + strspn(directory, "/"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (fd >= 0 && !entries)
		close(fd);
	while (entries && (entry = readdir(entries))) {
		char path[4400];

		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			each(data, path);
	}
	if (entries)
		closedir(entries);
}

static void be_program(const char *const *argv, int out_fd)
{
	char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *envp[] = { path, NULL };

	dup2(open("/dev/null", O_RDWR), STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(out_fd, STDERR_FILENO);
	execve(argv[0], (char *const *)(uintptr_t)argv, envp);
	_exit(127);
}

int check_run(const char *const *argv, char *text, size_t size)
{
	int fds[2], status = -1;
	size_t used = 0;
	ssize_t len;
	pid_t pid;

	text[0] = '\0';
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		be_program(argv, fds[1]);
	close(fds[1]);
	while (pid > 0 && used + 1 < size && (len = read(fds[0], text + used, size - used - 1)) > 0)
		used += (size_t)len;
	text[used] = '\0';
	close(fds[0]);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void check_release(struct check *check)
{
	decision_release(&check->decision);
	profile_release(&check->profile);
	check_config_release(&check->sshd);
	free(check->findings);
	check->findings = NULL;
	check->len = 0;
}

/* --- one account --------------------------------------------------------------------- */

static void find_all(struct check *check)
{
	struct err err = { "" };

	if (account_by_name(&check->decision.account, check->user, &err)) {
		struct check_finding *finding = check_add(check, CHECK_ACCOUNT_MISSING, "name service", "%s", err.text);

		check_cure(finding, "stockade enroll %s --workspace /srv/work/%s", check->user, check->user);
		return;
	}
	check->has_account = true;
	check_profile(check);
	if (check->has_profile) {
		check_rules(check);
		check_start(check);
	}
	check_pam(check);
	check_sshd(check);
	check_services(check);
	check_account(check);
	check_jobs(check);
	if (check->has_facts) {
		check_files(check);
		check_disk(check);
		check_kernel_hard_links(check);
	}
	check_for_real(check);
}

/* --- output --------------------------------------------------------------------------- */

static const char *severity_name(enum check_severity severity)
{
	switch (severity) {
	case CHECK_WARNING:
		return "warning";
	case CHECK_ERROR:
		return "error";
	}
	return "?";
}

static void show_text(const struct check_finding *finding)
{
	char where[2048], what[2600], cure[4 * CHECK_CURE_MAX];

	printf("%-7s %s %s: %s: %s; cure: %s\n", severity_name(finding->severity), check_table[finding->id].name, finding->user,
		text_show(where, sizeof(where), finding->where), text_show(what, sizeof(what), finding->what),
		text_show(cure, sizeof(cure), finding->cure));
}

static void show_json(struct json_object *list, const struct check_finding *finding)
{
	struct json_object *object = json_object_new_object();
	const struct {
		const char *key, *value;
	} words[] = { { "severity", severity_name(finding->severity) }, { "name", check_table[finding->id].name }, { "user", finding->user },
		{ "where", finding->where }, { "what", finding->what }, { "why", check_table[finding->id].meaning }, { "cure", finding->cure } };
	char text[4 * CHECK_CURE_MAX];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		json_object_object_add(object, words[i].key, json_object_new_string(text_show(text, sizeof(text), words[i].value)));
	json_object_array_add(list, object);
}

static void check_user(struct output *output, const char *user)
{
	struct check check = { .root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), .user = user, .host = &output->host, .sshd = CHECK_CONFIG_INIT };

	find_all(&check);
	for (size_t i = 0; i < check.len; i++) {
		if (output->list)
			show_json(output->list, &check.findings[i]);
		else
			show_text(&check.findings[i]);
		if ((int)check.findings[i].severity > output->worst)
			output->worst = (int)check.findings[i].severity;
	}
	fflush(stdout);
	check_release(&check);
	close(check.root_fd);
}

/* --- which accounts ------------------------------------------------------------------- */

static void add_once(struct strv *users, const char *user)
{
	if (text_is_name(user) && !strv_contains(users, user))
		strv_add(users, user);
}

/* The members by /etc/group, and those whose primary group it is. */
static void add_group(struct strv *users, const char *name)
{
	const struct group *group = getgrnam(name);
	const struct passwd *entry;
	gid_t gid;

	if (!group)
		return;
	gid = group->gr_gid;
	for (char **member = group->gr_mem; *member; member++)
		add_once(users, *member);
	setpwent();
	while ((entry = getpwent()))
		if (entry->pw_gid == gid && entry->pw_uid != 0)
			add_once(users, entry->pw_name);
	endpwent();
}

static void add_profiles(struct strv *users)
{
	glob_t found;

	if (glob(STOCKADE_ETC "/profiles/*.ini", 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char name[512];

		snprintf(name, sizeof(name), "%s", strrchr(found.gl_pathv[i], '/') + 1);
		name[strlen(name) - strlen(".ini")] = '\0';
		if (name[0] == '@')
			add_group(users, name + 1);
		else
			add_once(users, name);
	}
	globfree(&found);
}

static int list_names(void)
{
	for (size_t i = 0; i < CHECK_COUNT; i++)
		puts(check_table[i].name);
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: stockade check [USER...] [--json]\n       stockade check --list\n");
	return USAGE_STATUS;
}

static int check_all(const struct strv *users, bool is_json)
{
	struct output output = { .list = is_json ? json_object_new_array() : NULL };

	for (size_t i = 0; i < users->len; i++)
		check_user(&output, users->items[i]);
	if (output.list)
		puts(json_object_to_json_string_ext(output.list, JSON_C_TO_STRING_PRETTY));
	json_object_put(output.list);
	if (users->len == 0)
		fprintf(stderr, "stockade: no account has a profile in " STOCKADE_ETC "/profiles\n");
	return output.worst;
}

int check_main(int argc, char *argv[])
{
	_cleanup_strv_ struct strv users = STRV_INIT;
	struct err err = { "" };
	bool is_json = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--list") == 0 && argc == 2)
			return list_names();
		if (strcmp(argv[i], "--json") == 0)
			is_json = true;
		else if (text_is_name(argv[i]))
			add_once(&users, argv[i]);
		else
			return usage();
	}
	if (geteuid() != 0) {
		fprintf(stderr, "stockade: check has to be run by root\n");
		return USAGE_STATUS;
	}
	if (users.len == 0)
		add_profiles(&users);
	if (strv_finish(&users, &err)) {
		fprintf(stderr, "stockade: %s\n", err.text);
		return USAGE_STATUS;
	}
	return check_all(&users, is_json);
}

/* SPDX-License-Identifier: ISC */
/* Owns what is seen of the host; decides nothing and runs nothing. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "egress.h"
#include "resolver.h"
#include "text.h"

static const char *const masked_trees[] = { "/home", "/root", "/run", "/tmp", "/var/tmp", "/var/log", "/var/spool",
	"/var/lib/stockade", NULL };
static const char *const top_trees[] = { "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/libo32", NULL };
/* What a client of the network looks for: certificates, and the names of ports. */
static const char *const network_etc[] = { "ssl", "ca-certificates", "services", "protocols", NULL };
static const char *const sizing_trees[] = { "/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage", NULL };

void facts_release(struct facts *facts)
{
	for (size_t i = 0; i < facts->sources_len; i++) {
		free(facts->sources[i].given);
		source_release(&facts->sources[i].source);
	}
	free(facts->sources);
	for (size_t i = 0; i < facts->network.names_len; i++)
		free(facts->network.names[i].name);
	free(facts->network.names);
	strv_release(&facts->network.own);
	facts->sources = NULL;
	facts->sources_len = 0;
	facts->network = (struct facts_network){ .names = NULL };
}

static int add_source(struct facts *facts, int root_fd, enum facts_use use, const char *path, struct err *err)
{
	struct facts_source *sources = reallocarray(facts->sources, facts->sources_len + 1, sizeof(*sources)), *item;
	struct err why = { "" };

	if (!sources)
		return err_set(err, ENOMEM, "out of memory");
	facts->sources = sources;
	item = &sources[facts->sources_len++];
	*item = (struct facts_source){ .use = use, .is_optional = path[0] == '?', .source = SOURCE_INIT };
	item->given = strdup(path + item->is_optional);
	if (!item->given)
		return err_set(err, ENOMEM, "out of memory");
	item->error = source_open(&item->source, root_fd, item->given, 0, &why);
	snprintf(item->why, sizeof(item->why), "%.255s", why.text);
	if (!item->source.path)
		item->source.path = strdup(item->given);
	return item->source.path ? 0 : err_set(err, ENOMEM, "out of memory");
}

static int add_sources(struct facts *facts, int root_fd, enum facts_use use, const char *prefix, const char *const *paths,
	struct err *err)
{
	for (size_t i = 0; paths && paths[i]; i++) {
		char path[4200];
		int r;

		snprintf(path, sizeof(path), "%s%s", prefix, paths[i]);
		r = add_source(facts, root_fd, use, path, err);
		if (r)
			return r;
	}
	return 0;
}

/* /bin, /sbin, /lib*: links into /usr on a merged host, directories elsewhere. */
static int add_top_trees(struct facts *facts, int root_fd, bool has_whole_host, struct err *err)
{
	for (size_t i = 0; top_trees[i]; i++) {
		struct facts_mirror *mirror = &facts->mirrors[facts->mirrors_len];
		ssize_t len = readlinkat(root_fd, top_trees[i] + 1, mirror->target, sizeof(mirror->target) - 1);
		int r = 0;

		if (len > 0) {
			mirror->path = top_trees[i];
			mirror->target[len] = '\0';
			facts->mirrors_len++;
		} else if (errno != ENOENT && !has_whole_host) {
			r = add_source(facts, root_fd, USE_USR, top_trees[i], err);
		}
		if (r)
			return r;
	}
	return 0;
}

static bool is_within_any(const char *path, const char *const *trees)
{
	for (size_t i = 0; trees && trees[i]; i++)
		if (text_path_is_within(path, trees[i] + (trees[i][0] == '?')))
			return true;
	return false;
}

static bool is_shown(const struct facts *facts, const struct profile *profile, const char *path)
{
	if (profile->root == ROOT_HOST)
		return !is_within_any(path, masked_trees);
	for (size_t i = 0; i < facts->sources_len; i++) {
		enum facts_use use = facts->sources[i].use;

		if ((use == USE_USR || use == USE_READ || use == USE_TOOLCHAIN) && text_path_is_within(path, facts->sources[i].source.path))
			return true;
	}
	return false;
}

/* The kernel lists a socket once for each connection that it has. */
static bool is_listed(const struct facts *facts, const char *socket)
{
	for (size_t i = facts->sources_len; i-- > 0 && facts->sources[i].use == USE_SOCKET;)
		if (strcmp(facts->sources[i].given, socket) == 0)
			return true;
	return false;
}

/* Read-only does not stop connect(2): a socket of others that the account could reach is one to cover. */
static bool is_reachable_socket(const struct facts *facts, const struct profile *profile, const char *path)
{
	struct stat st;

	return text_is_plain_path(path) && !is_listed(facts, path) && is_shown(facts, profile, path) && !text_path_is_within(path, profile->workspace) &&
		!is_within_any(path, (const char *const *)profile->also.items) && lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) &&
		access(path, W_OK) == 0;
}

/* unix(7): /proc/net/unix has the path behind seven words. */
static int add_sockets(struct facts *facts, const struct profile *profile, int root_fd, struct err *err)
{
	FILE *file = fopen("/proc/net/unix", "re");
	char line[512];
	int r = 0;

	if (!file)
		return err_set(err, errno, "/proc/net/unix: %s", strerror(errno));
	while (r == 0 && fgets(line, sizeof(line), file)) {
		const char *path = text_skip_words(line, 7);

		line[strcspn(line, "\n")] = '\0';
		if (*path && is_reachable_socket(facts, profile, path))
			r = add_source(facts, root_fd, USE_SOCKET, path, err);
	}
	fclose(file);
	return r;
}

static int add_view(struct facts *facts, const struct profile *profile, int root_fd, struct err *err)
{
	int r;

	if (profile->root == ROOT_HOST) {
		r = add_top_trees(facts, root_fd, true, err);
		if (r == 0)
			r = add_source(facts, root_fd, USE_USR, "/", err);
		return r ? r : add_sources(facts, root_fd, USE_MASK, "", masked_trees, err);
	}
	r = add_source(facts, root_fd, USE_USR, "/usr", err);
	if (r == 0)
		r = add_top_trees(facts, root_fd, false, err);
	if (r == 0)
		r = add_sources(facts, root_fd, USE_ETC, "?/etc/", (const char *const *)profile->etc.items, err);
	for (size_t i = 0; r == 0 && profile->network == NETWORK_SLIRP && network_etc[i]; i++)
		if (!strv_contains(&profile->etc, network_etc[i]))
			r = add_sources(facts, root_fd, USE_ETC, "?/etc/", (const char *const[]){ network_etc[i], NULL }, err);
	return r;
}

static int add_all(struct facts *facts, const struct profile *profile, int root_fd, struct err *err)
{
	int r = add_view(facts, profile, root_fd, err);

	if (r == 0 && profile->passwd == PASSWD_HOST && profile->root == ROOT_MINIMAL)
		r = add_sources(facts, root_fd, USE_ETC, "/etc/", (const char *const[]){ "passwd", "group", NULL }, err);
	if (r == 0)
		r = add_source(facts, root_fd, USE_WORKSPACE, profile->workspace, err);
	if (r == 0)
		r = add_sources(facts, root_fd, USE_ALSO, "", (const char *const *)profile->also.items, err);
	if (r == 0)
		r = add_sources(facts, root_fd, USE_TOOLCHAIN, "", (const char *const *)profile->toolchains.items, err);
	if (r == 0)
		r = add_sources(facts, root_fd, USE_READ, "", (const char *const *)profile->read.items, err);
	if (r == 0)
		r = add_sources(facts, root_fd, USE_HIDE, "", (const char *const *)profile->hide.items, err);
	if (r == 0)
		r = add_sources(facts, root_fd, USE_DEVICE, "/dev/", (const char *const *)profile->devices.items, err);
	if (r == 0 && profile->sys == SYS_SIZED)
		r = add_sources(facts, root_fd, USE_SYS, "", sizing_trees, err);
	if (r == 0 && profile->sys == SYS_HOST)
		r = add_source(facts, root_fd, USE_SYS, "/sys", err);
	if (r == 0)
		r = add_sockets(facts, profile, root_fd, err);
	return r;
}

static void check_tools(struct facts *facts, const struct profile *profile, int root_fd)
{
	const char *const tools[] = { profile->tool_env, profile->tool_bwrap, profile->tool_prlimit, profile->tool_setsid,
		profile->tool_slirp4netns, profile->tool_nft };
	size_t count = sizeof(tools) / sizeof(tools[0]) - (profile->network == NETWORK_SLIRP ? 0 : 2);
	struct err err;

	for (size_t i = 0; i < count; i++)
		if (source_check_tool(root_fd, tools[i] ? tools[i] : "", 0, &err)) {
			snprintf(facts->tool_problem, sizeof(facts->tool_problem), "%.500s", err.text);
			return;
		}
	/* Without systemd there is no systemd-run, and a grade for that; an unsafe one is another matter. */
	if (access(profile->tool_systemd_run, F_OK) == 0 && source_check_tool(root_fd, profile->tool_systemd_run, 0, &err))
		snprintf(facts->tool_problem, sizeof(facts->tool_problem), "%.500s", err.text);
}

/* The option itself is looked for in the program's own text: starting it only to ask would cost every run. */
static bool has_option(const char *program, const char *option)
{
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	char buf[8192];
	size_t kept = 0, len = strlen(option);
	ssize_t got;
	bool is_found = false;

	while (fd >= 0 && !is_found && (got = read(fd, buf + kept, sizeof(buf) - kept)) > 0) {
		size_t total = kept + (size_t)got;

		is_found = memmem(buf, total, option, len) != NULL;
		kept = total < len ? total : len - 1;
		memmove(buf, buf + total - kept, kept);
	}
	if (fd >= 0)
		close(fd);
	return is_found;
}

static void probe_runtime_dir(struct facts *facts, uid_t uid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/run/user/%u", uid);
	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == uid && (st.st_mode & 07777) == 0700)
		snprintf(facts->runtime_dir, sizeof(facts->runtime_dir), "%s", path);
}

static bool is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* Why no scope can be had, each with its cure. */
static void probe_limits(struct facts *facts, const struct profile *profile, uid_t uid)
{
	char path[300], *why = facts->limits_problem;
	size_t size = sizeof(facts->limits_problem);
	struct statfs fs;

	if (access(profile->tool_systemd_run, X_OK) < 0)
		snprintf(why, size, "%s: %s; this host has no systemd", profile->tool_systemd_run, strerror(errno));
	else if (!facts->runtime_dir[0])
		snprintf(why, size, "no /run/user/%u of the account's: sshd needs UsePAM yes and PAM pam_systemd, or root runs loginctl enable-linger", uid);
	else if (snprintf(path, sizeof(path), "%s/systemd/private", facts->runtime_dir) > 0 && !is_socket(path))
		snprintf(why, size, "%s: no user manager listens; root looks at systemctl status user@%u", path, uid);
	else if (!is_socket("/run/dbus/system_bus_socket"))
		snprintf(why, size, "/run/dbus/system_bus_socket: no system bus, which the user manager needs; root starts dbus");
	else if (statfs("/sys/fs/cgroup", &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC)
		snprintf(why, size, "/sys/fs/cgroup is not cgroup2: cgroup v1 or hybrid; boot with systemd.unified_cgroup_hierarchy=1");
	if (*why)
		return;
	snprintf(facts->manager_cgroup, sizeof(facts->manager_cgroup), "/user.slice/user-%u.slice/user@%u.service", uid, uid);
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s", facts->manager_cgroup);
	if (access(path, F_OK) < 0) {
		snprintf(why, size, "%s: %s; the user manager is not where systemd puts it", path, strerror(errno));
		facts->manager_cgroup[0] = '\0';
	}
}

/* Before a login there is no scope to read limits back from: what the host hands to users at all must do. */
static void probe_controllers(struct facts *facts)
{
	char text[256] = "";
	int fd = open("/sys/fs/cgroup/user.slice/cgroup.controllers", O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		fd = open("/sys/fs/cgroup/cgroup.controllers", O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = '\0';
	if (!strstr(text, "memory") || !strstr(text, "pids"))
		snprintf(facts->unlimited_why, sizeof(facts->unlimited_why),
			"no memory and pids controllers for users: cgroup v1 or hybrid, or a container without them");
}

static bool has_locale(const char *name)
{
	static const char *const built_in[] = { "C", "POSIX", "C.UTF-8", "C.utf8" };
	locale_t locale;

	for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++)
		if (strcmp(built_in[i], name) == 0)
			return true;
	locale = newlocale(LC_ALL_MASK, name, (locale_t)0);
	if (!locale)
		return false;
	freelocale(locale);
	return true;
}

static bool has_terminfo(const char *term)
{
	static const char *const databases[] = { "/usr/share/terminfo", "/lib/terminfo", "/usr/lib/terminfo" };
	char path[400];

	if (!term || !*term || strlen(term) > 64 || term[0] == '.' ||
		strspn(term, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-") != strlen(term))
		return false;
	for (size_t i = 0; i < sizeof(databases) / sizeof(databases[0]); i++) {
		snprintf(path, sizeof(path), "%s/%c/%s", databases[i], term[0], term);
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

static void probe_kernel(struct facts *facts)
{
	struct utsname name;
	struct sysinfo info;

	if (uname(&name) == 0)
		snprintf(facts->hostname, sizeof(facts->hostname), "%.64s", name.nodename);
	if (sysinfo(&info) == 0) {
		facts->memory_total = (uint64_t)info.totalram * info.mem_unit;
		facts->swap_total = (uint64_t)info.totalswap * info.mem_unit;
	}
	for (int i = 0; i < LIMITS_COUNT; i++) {
		struct rlimit limit;

		facts->hard_limits[i] = LIMIT_UNLIMITED;
		if (getrlimit((__rlimit_resource_t)limits_table[i].resource, &limit) == 0 && limit.rlim_max != RLIM_INFINITY)
			facts->hard_limits[i] = limit.rlim_max;
	}
}

/* What container managers cover or make read-only; the files that a manager covers on a whole host too are not among them. */
static bool has_covered_proc(void)
{
	static const char *const covered[] = { "/proc/sys", "/proc/sysrq-trigger", "/proc/kcore", "/proc/keys", "/proc/acpi", "/proc/tty",
		"/proc/bus", "/proc/fs", "/proc/irq", "/proc/scsi", "/proc/timer_list" };

	for (size_t i = 0; i < sizeof(covered) / sizeof(covered[0]); i++) {
		struct statx st;

		if (statx(AT_FDCWD, covered[i], AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0, &st) == 0 && (st.stx_attributes & STATX_ATTR_MOUNT_ROOT))
			return true;
	}
	return false;
}

void probe_network(struct facts *facts, const struct profile *profile, int signal_fd)
{
	_cleanup_strv_ struct strv names = STRV_INIT;
	struct err err = { "" };
	char path[PATH_MAX];
	int r;

	for (size_t i = 0; i < profile->network_allow.len; i++) {
		struct egress_word word;

		if (egress_parse(&word, profile->network_allow.items[i], &err) == 0 && word.kind == EGRESS_NAME && !strv_contains(&names, word.target))
			strv_add(&names, word.target);
	}
	if (realpath("/etc/resolv.conf", path))
		snprintf(facts->network.resolv_conf, sizeof(facts->network.resolv_conf), "%.255s", path);
	r = strv_finish(&names, &err);
	if (r == 0)
		r = resolver_own(&facts->network, &err);
	if (r == 0)
		r = resolver_ask(&facts->network, &names, signal_fd, &err);
	if (r)
		snprintf(facts->network.problem, sizeof(facts->network.problem), "%.319s", err.text);
	facts->network.is_known = true;
}

int probe_facts(struct facts *facts, const struct profile *profile, const struct account *account, const char *term,
	bool is_login_assumed, struct err *err)
{
	int r, root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root_fd < 0)
		return err_set(err, errno, "/: %s", strerror(errno));
	probe_kernel(facts);
	check_tools(facts, profile, root_fd);
	probe_runtime_dir(facts, account->uid);
	if (!is_login_assumed || facts->runtime_dir[0] || access("/run/systemd/system", F_OK) < 0)
		probe_limits(facts, profile, account->uid);
	facts->has_expand_environment = has_option(profile->tool_systemd_run, "expand-environment");
	facts->has_workspace_point = faccessat(root_fd, "workspace", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	facts->has_locale = has_locale(profile->locale);
	facts->has_term = has_terminfo(term);
	facts->is_suspect = has_covered_proc();
	if (is_login_assumed && !facts->limits_problem[0])
		probe_controllers(facts);
	r = add_all(facts, profile, root_fd, err);
	close(root_fd);
	return r;
}

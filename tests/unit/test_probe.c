/* SPDX-License-Identifier: ISC */
/* Facts of the machine the test runs on, compared with what the system itself says. */
#include "probe.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/un.h>
#include <sys/utsname.h>

#include "fixture.h"
#include "private_system.h"

struct probed {
	struct profile profile;
	struct facts facts;
};

static void probe_as(struct probed *probed, uid_t uid, const char *profile_text, const char *term, bool is_login_assumed)
{
	const struct account account = { .uid = uid, .name = (char *)"build" };
	struct err err = { "" };

	memset(probed, 0, sizeof(*probed));
	if (profile_init(&probed->profile, &err) || fixture_apply(&probed->profile, "p.ini", profile_text, LAYER_SITE, &err) ||
		profile_finish(&probed->profile, "p.ini", &err) ||
		probe_facts(&probed->facts, &probed->profile, &account, term, is_login_assumed, &err))
		fail_msg("%s", err.text);
}

static void probe(struct probed *probed, const char *profile_text)
{
	probe_as(probed, 54321, profile_text, NULL, false);
}

static void release(struct probed *probed)
{
	facts_release(&probed->facts);
	profile_release(&probed->profile);
}

static bool has_source(const struct probed *probed, const char *given)
{
	for (size_t i = 0; i < probed->facts.sources_len; i++)
		if (strcmp(probed->facts.sources[i].given, given) == 0)
			return true;
	return false;
}

__attribute__((returns_nonnull))
static const struct facts_source *source(const struct probed *probed, const char *given)
{
	for (size_t i = 0; i < probed->facts.sources_len; i++)
		if (strcmp(probed->facts.sources[i].given, given) == 0)
			return &probed->facts.sources[i];
	fail_msg("no source %s", given);
	abort();
}

static void the_machine_is_as_the_kernel_says(void **state)
{
	struct probed probed;
	struct utsname name;
	struct sysinfo info;
	struct rlimit limit;

	(void)state;
	probe(&probed, FIXTURE_WORKSPACE);
	assert_true(uname(&name) == 0 && sysinfo(&info) == 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
	assert_string_equal(probed.facts.hostname, name.nodename);
	assert_int_equal(probed.facts.memory_total, (uint64_t)info.totalram * info.mem_unit);
	assert_true(probed.facts.hard_limits[limits_find("nofile")] == (limit.rlim_max == RLIM_INFINITY ? LIMIT_UNLIMITED : limit.rlim_max));
	assert_int_equal(probed.facts.lost, 0);
	release(&probed);
}

static size_t count(const struct probed *probed, enum facts_use use, const char *path)
{
	size_t n = 0;

	for (size_t i = 0; i < probed->facts.sources_len; i++)
		if (probed->facts.sources[i].use == use && strcmp(probed->facts.sources[i].given, path) == 0)
			n++;
	return n;
}

static void a_socket_below_a_shown_tree_is_a_source(void **state)
{
	const struct temp *temp = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), clients[3];
	struct probed probed;
	char text[512];

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/listener", temp->path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 3), 0);
	/* The kernel lists each connection by the same path, as those to a database. */
	for (size_t i = 0; i < COUNT(clients); i++) {
		clients[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		assert_int_equal(connect(clients[i], (const struct sockaddr *)&address, sizeof(address)), 0);
	}
	snprintf(text, sizeof(text), FIXTURE_WORKSPACE "[view]\nread = %s\n", temp->path);
	probe(&probed, text);
	assert_int_equal(source(&probed, address.sun_path)->use, USE_SOCKET);
	assert_int_equal(count(&probed, USE_SOCKET, address.sun_path), 1);
	release(&probed);
	probe(&probed, FIXTURE_WORKSPACE);
	assert_false(has_source(&probed, address.sun_path));
	release(&probed);
	/* Those in the workspace are the account's own affair. */
	snprintf(text, sizeof(text), "[workspace]\npath = %s\n[view]\nroot = host\n", temp->path);
	probe(&probed, text);
	assert_false(has_source(&probed, address.sun_path));
	release(&probed);
	for (size_t i = 0; i < COUNT(clients); i++)
		close(clients[i]);
	close(fd);
}

static void every_path_of_the_profile_is_a_source(void **state)
{
	struct probed probed;

	(void)state;
	probe(&probed, "[workspace]\npath = /nonexistent/w\nalso = ?/nonexistent/a\n[view]\nread = /usr/bin\nhide = /usr/sbin\ndevices = null\netc = hosts nonexistent\n");
	assert_int_equal(source(&probed, "/nonexistent/w")->use, USE_WORKSPACE);
	assert_int_equal(source(&probed, "/nonexistent/w")->source.kind, SOURCE_ABSENT);
	assert_int_equal(source(&probed, "/nonexistent/a")->use, USE_ALSO);
	assert_true(source(&probed, "/nonexistent/a")->is_optional);
	assert_int_equal(source(&probed, "/usr/bin")->use, USE_READ);
	assert_int_equal(source(&probed, "/usr/bin")->source.kind, SOURCE_DIR);
	assert_true(source(&probed, "/usr/bin")->source.fd >= 0);
	assert_int_equal(source(&probed, "/usr/sbin")->use, USE_HIDE);
	assert_int_equal(source(&probed, "/dev/null")->source.kind, SOURCE_DEVICE);
	assert_int_equal(source(&probed, "/etc/hosts")->source.kind, SOURCE_FILE);
	assert_true(source(&probed, "/etc/nonexistent")->is_optional);
	assert_int_equal(source(&probed, "/usr")->use, USE_USR);
	assert_true(source(&probed, "/opt/toolchains")->is_optional);
	assert_false(has_source(&probed, "/"));
	assert_false(has_source(&probed, "/home"));
	for (size_t i = 0; i < probed.facts.sources_len; i++)
		assert_non_null(probed.facts.sources[i].source.path);
	release(&probed);
}

static void the_host_view_asks_for_the_root_and_its_private_trees(void **state)
{
	struct probed probed;

	(void)state;
	probe(&probed, FIXTURE_WORKSPACE "[view]\nroot = host\nsys = none\n");
	assert_int_equal(source(&probed, "/")->source.kind, SOURCE_DIR);
	assert_int_equal(source(&probed, "/run")->use, USE_MASK);
	assert_int_equal(source(&probed, "/var/lib/stockade")->use, USE_MASK);
	assert_false(has_source(&probed, "/usr"));
	assert_false(has_source(&probed, "/sys/devices/system/cpu"));
	assert_false(has_source(&probed, "/bin")); /* links or not, the whole host has them */
	release(&probed);
}

static void top_trees_are_links_or_sources_as_the_host_has_them(void **state)
{
	static const char *const trees[] = { "/bin", "/sbin", "/lib", "/lib64" };
	struct probed probed;

	(void)state;
	probe(&probed, FIXTURE_WORKSPACE);
	for (size_t i = 0; i < COUNT(trees); i++) {
		char target[64] = "";
		const char *found = NULL;
		struct stat st;

		for (size_t j = 0; j < probed.facts.mirrors_len; j++)
			if (strcmp(probed.facts.mirrors[j].path, trees[i]) == 0)
				found = probed.facts.mirrors[j].target;
		if (lstat(trees[i], &st) < 0) {
			assert_null(found);
			assert_false(has_source(&probed, trees[i]));
		} else if (S_ISLNK(st.st_mode)) {
			assert_true(readlink(trees[i], target, sizeof(target) - 1) > 0);
			assert_non_null(found);
			assert_string_equal(found, target);
		} else {
			assert_null(found);
			assert_int_equal(source(&probed, trees[i])->use, USE_USR);
		}
	}
	release(&probed);
}

static void a_tool_that_is_missing_setuid_or_others_is_a_problem(void **state)
{
	static const char *const tools[] = { "bwrap", "env", "prlimit", "setsid", "systemd_run" };
	const struct temp *temp = *state;
	char profile[512];
	struct probed probed;

	temp_file(temp, "setuid", "x", 04755);
	for (size_t i = 0; i < COUNT(tools); i++) {
		snprintf(profile, sizeof(profile), FIXTURE_WORKSPACE "[tools]\n%s = %s/setuid\n", tools[i], temp->path);
		probe(&probed, profile);
		if (!probed.facts.tool_problem[0])
			fail_msg("%s", tools[i]);
		release(&probed);
	}
	probe(&probed, FIXTURE_WORKSPACE "[tools]\nbwrap = /nonexistent/bwrap\n");
	assert_string_equal(probed.facts.tool_problem, "/nonexistent/bwrap: does not exist");
	release(&probed);
	/* Without systemd there is a grade, not a refusal. */
	probe(&probed, FIXTURE_WORKSPACE "[tools]\nsystemd_run = /nonexistent/run\nbwrap = /usr/bin/env\nprlimit = /usr/bin/env\nsetsid = /usr/bin/env\n");
	assert_string_equal(probed.facts.tool_problem, "");
	assert_non_null(strstr(probed.facts.limits_problem, "/nonexistent/run"));
	assert_false(probed.facts.has_expand_environment);
	release(&probed);
}

static void an_option_is_found_in_the_programs_own_text(void **state)
{
	const struct temp *temp = *state;
	char profile[512], text[200000];
	struct probed probed;

	/* Across the end of what is read at once. */
	memset(text, 'x', sizeof(text));
	memcpy(text + 65536 - 8, "expand-environment", 18);
	text[sizeof(text) - 1] = '\0';
	temp_file(temp, "run", text, 0755);
	snprintf(profile, sizeof(profile), FIXTURE_WORKSPACE "[tools]\nsystemd_run = %s/run\n", temp->path);
	probe(&probed, profile);
	assert_true(probed.facts.has_expand_environment);
	release(&probed);
	text[65536] = 'x';
	temp_file(temp, "run", text, 0755);
	probe(&probed, profile);
	assert_false(probed.facts.has_expand_environment);
	release(&probed);
}

static void an_account_without_a_runtime_directory_has_no_limits_unless_a_login_makes_one(void **state)
{
	struct probed probed;

	(void)state;
	probe(&probed, FIXTURE_WORKSPACE);
	assert_string_equal(probed.facts.runtime_dir, "");
	assert_true(strlen(probed.facts.limits_problem) > 0);
	assert_string_equal(probed.facts.manager_cgroup, "");
	release(&probed);
	probe_as(&probed, 54321, FIXTURE_WORKSPACE, NULL, true);
	assert_int_equal(probed.facts.limits_problem[0] == '\0', access("/run/systemd/system", F_OK) == 0);
	release(&probed);
}

static void check_covered(void)
{
	struct probed probed;

	system_host();
	probe(&probed, FIXTURE_WORKSPACE);
	CHECK(!probed.facts.is_suspect);
	release(&probed);
	CHECK(mount("none", "/proc/tty", "tmpfs", MS_RDONLY, NULL) == 0);
	probe(&probed, FIXTURE_WORKSPACE);
	CHECK(probed.facts.is_suspect);
	release(&probed);
}

static void a_covered_part_of_proc_is_suspect(void **state)
{
	(void)state;
	system_run(check_covered);
}

static void terminal_kinds_and_locales_are_looked_up_and_no_path_is(void **state)
{
	static const struct {
		const char *term;
		bool is_known;
	} terms[] = { { "xterm", true }, { "no-such-terminal", false }, { "../x/xterm", false }, { "", false }, { ".", false }, { "xterm\n", false } };
	struct probed probed;

	(void)state;
	if (access("/usr/share/terminfo/x/xterm", R_OK) < 0 && access("/lib/terminfo/x/xterm", R_OK) < 0)
		temp_skip("no terminfo of xterm here");
	for (size_t i = 0; i < COUNT(terms); i++) {
		probe_as(&probed, 54321, FIXTURE_WORKSPACE, terms[i].term, false);
		assert_int_equal(probed.facts.has_term, terms[i].is_known);
		assert_true(probed.facts.has_locale);
		release(&probed);
	}
	probe(&probed, FIXTURE_WORKSPACE "[env]\nlocale = xx_YY.UTF-8\n");
	assert_false(probed.facts.has_locale);
	release(&probed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machine_is_as_the_kernel_says),
		temp_test(a_socket_below_a_shown_tree_is_a_source),
		cmocka_unit_test(every_path_of_the_profile_is_a_source),
		cmocka_unit_test(the_host_view_asks_for_the_root_and_its_private_trees),
		cmocka_unit_test(top_trees_are_links_or_sources_as_the_host_has_them),
		temp_test(a_tool_that_is_missing_setuid_or_others_is_a_problem),
		temp_test(an_option_is_found_in_the_programs_own_text),
		cmocka_unit_test(an_account_without_a_runtime_directory_has_no_limits_unless_a_login_makes_one),
		cmocka_unit_test(a_covered_part_of_proc_is_suspect),
		cmocka_unit_test(terminal_kinds_and_locales_are_looked_up_and_no_path_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

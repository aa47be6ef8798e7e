/* SPDX-License-Identifier: ISC */
#include "check.h"

#include "check_fixture.h"

/* Each of the texts as the file: whether it is found. */
static void look(struct check *check, const struct temp *temp, const char *file, const char *const *texts, size_t len, bool is_bad)
{
	for (size_t i = 0; i < len; i++) {
		check_forget(check);
		temp_file(temp, file, texts[i], 0440);
		check_account(check);
		if (check_count(check, CHECK_ACCOUNT_SUDOERS) != is_bad)
			fail_msg("%s", texts[i]);
		unlinkat(temp->fd, file, 0);
	}
}

static void sudo_is_found_by_user_group_uid_and_alias(void **state)
{
	static const char *const bad[] = { "build ALL=(ALL) ALL\n", "%build ALL = ALL\n", "#1001 ALL=ALL\n", "other, build host = /bin/ls\n", "ALL ALL=(ALL) ALL\n",
		"User_Alias B = x, build\nB ALL = ALL\n", "other, \\\n  build ALL = ALL\n", "User_Alias A = x : B = y, \\\nbuild\nB ALL = ALL\n",
		"B ALL = ALL\nUser_Alias B = C\nUser_Alias C = build\n" };
	static const char *const good[] = { "# build ALL=(ALL) ALL\n", "root ALL=(ALL:ALL) ALL\n", "%sudo ALL=(ALL:ALL) ALL\n", "Defaults env_reset, x=build\n",
		"builder ALL=ALL\n", "# build \\\n ALL=ALL\n", "User_Alias B = x\nB ALL = ALL\n", "Host_Alias build = x\n", "other build = ALL\n" };
	static const char *const leftover[] = { "build ALL=ALL\n" };
	struct check check;

	check_open(&check, *state);
	temp_dir(*state, "etc/sudoers.d");
	look(&check, *state, "etc/sudoers.d/x", bad, COUNT(bad), true);
	look(&check, *state, "etc/sudoers.d/x", good, COUNT(good), false);
	look(&check, *state, "etc/sudoers.d/x.bak", leftover, COUNT(leftover), false);
	check_release(&check);
}

static void what_sudoers_includes_is_read_too(void **state)
{
	static const char *const bad[] = { "@include /etc/more\n", "#include /etc/more\n", "@include more\n", "@include \"/etc/more\"\n", "@includedir /etc/dir\n",
		"#includedir dir\n", "@include /etc/again\n" };
	static const char *const good[] = { "# include /etc/more\n", "@include /etc/nothing\n", "@includedir /etc/leftovers\n", "#included /etc/more\n", "@include sudoers\n" };
	const struct temp *temp = *state;
	struct check check;
	char host[256] = "", name[300];

	check_open(&check, temp);
	temp_dir(temp, "etc");
	temp_dir(temp, "etc/dir");
	temp_dir(temp, "etc/leftovers");
	temp_file(temp, "etc/more", "B ALL=ALL\nUser_Alias B = build\n", 0440);
	temp_file(temp, "etc/again", "@include /etc/again\n@include more\n", 0440);
	temp_file(temp, "etc/dir/x", "build ALL=ALL\n", 0440);
	temp_file(temp, "etc/leftovers/x.dpkg-old", "build ALL=ALL\n", 0440);
	look(&check, temp, "etc/sudoers", bad, COUNT(bad), true);
	look(&check, temp, "etc/sudoers", good, COUNT(good), false);
	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	snprintf(name, sizeof(name), "etc/for-%s", host);
	temp_file(temp, name, "build ALL=ALL\n", 0440);
	look(&check, temp, "etc/sudoers", (const char *const[]){ "@include /etc/for-%h\n" }, 1, true);
	temp_file(temp, "etc/sudoers", "root ALL=ALL\n@include more\nbuild ALL=ALL\n", 0440);
	check_forget(&check);
	check_account(&check);
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_SUDOERS)->cure, "sed -i '1,1s/^/# /' /etc/more");
	check_release(&check);
}

static void doas_is_found_by_user_and_group(void **state)
{
	static const char *const bad[] = { "permit build\n", "permit nopass keepenv :build as root\n", "permit setenv { A=b \\\n C } 1001 cmd ls\n",
		"deny x\npermit persist setenv {X} build\n" };
	static const char *const good[] = { "# permit build\n", "permit :wheel\n", "permit nopass other as build\n", "deny build\n", "permit setenv { build } root\n", "permit\n",
		"permit builder\n" };
	struct check check;

	check_open(&check, *state);
	temp_dir(*state, "etc");
	look(&check, *state, "etc/doas.conf", bad, COUNT(bad), true);
	look(&check, *state, "etc/doas.conf", good, COUNT(good), false);
	check_release(&check);
}

static void a_rule_over_many_lines_is_taken_out_whole(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	check_open(&check, temp);
	temp_dir(temp, "etc");
	temp_file(temp, "etc/sudoers", "root ALL=ALL\nother, \\\n build \\\n ALL = ALL\n", 0440);
	check_account(&check);
	assert_string_equal(check_found(&check, CHECK_ACCOUNT_SUDOERS)->cure, "sed -i '2,4s/^/# /' /etc/sudoers");
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(sudo_is_found_by_user_group_uid_and_alias),
		temp_test(what_sudoers_includes_is_read_too),
		temp_test(doas_is_found_by_user_and_group),
		temp_test(a_rule_over_many_lines_is_taken_out_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "setting.h"

#include <errno.h>

#include "fixture.h"

struct sample {
	const char *section, *key, *text, *shown; /* shown NULL: refused */
};

static void each_type_is_read_whole_and_shown_again(void **state)
{
	static const struct sample samples[] = {
		{ "workspace", "access", "read", "read" },
		{ "workspace", "access", "rea", NULL },
		{ "workspace", "access", "read ", NULL },
		{ "workspace", "access", "write read", NULL },
		{ "workspace", "access", "", NULL },
		{ "workspace", "path", "/srv/%u", "/srv/%u" },
		{ "workspace", "path", "/", "/" },
		{ "workspace", "path", "srv", NULL },
		{ "workspace", "path", "/srv/../etc", NULL },
		{ "workspace", "path", "/srv/..", NULL },
		{ "workspace", "path", "/srv/./x", NULL },
		{ "workspace", "path", "/srv//x", NULL },
		{ "workspace", "path", "/srv/", NULL },
		{ "workspace", "path", "/srv/..x", "/srv/..x" },
		{ "workspace", "also", "/srv/a '/srv/b c'", "/srv/a '/srv/b c'" },
		{ "workspace", "also", "/srv/a b", NULL },
		{ "workspace", "also", "/srv/a ?b", NULL },
		{ "workspace", "also", "\?\?/srv/a", NULL },
		{ "workspace", "also", "/srv/'a", NULL },
		{ "workspace", "umask", "027", "027" },
		{ "workspace", "umask", "-", "-" },
		{ "workspace", "umask", "0777", "777" },
		{ "workspace", "umask", "1777", NULL },
		{ "workspace", "umask", "08", NULL },
		{ "workspace", "umask", "", NULL },
		{ "tmp", "size", "64M", "64M" },
		{ "tmp", "size", "65536K", "64M" },
		{ "tmp", "size", "1025", "1025" },
		{ "tmp", "size", "25%", "25%" },
		{ "tmp", "size", "0", "0" },
		{ "tmp", "size", "-", "-" },
		{ "tmp", "size", "101%", NULL },
		{ "tmp", "size", "64m", NULL },
		{ "tmp", "size", "18446744073709551615", NULL },
		{ "cgroup", "tasks_max", "1024", "1024" },
		{ "cgroup", "tasks_max", "-", "-" },
		{ "cgroup", "tasks_max", "0", NULL },
		{ "cgroup", "tasks_max", "4194305", NULL },
		{ "cgroup", "cpu_weight", "10000", "10000" },
		{ "cgroup", "cpu_weight", "10001", NULL },
		{ "cgroup", "cpu_weight", "0", NULL },
		{ "cgroup", "cpus", "2.5", "2.50" },
		{ "cgroup", "cpus", "2.05", "2.05" },
		{ "cgroup", "cpus", "1", "1.00" },
		{ "cgroup", "cpus", "0.01", "0.01" },
		{ "cgroup", "cpus", "0", NULL },
		{ "cgroup", "cpus", "0.00", NULL },
		{ "cgroup", "cpus", "2.555", NULL },
		{ "cgroup", "cpus", "2.", NULL },
		{ "cgroup", "cpus", ".5", NULL },
		{ "cgroup", "cpus", "-1", NULL },
		{ "cgroup", "cpus", "10001", NULL },
		{ "cgroup", "cpus", "00000000000000002", NULL },
		{ "time", "timeout", "2h", "7200s" },
		{ "time", "timeout", "none", "none" },
		{ "time", "timeout", "2 h", NULL },
		{ "time", "timeout", "-", NULL },
		{ "env", "pass", "CI_* LANG", "'CI_*' LANG" },
		{ "env", "pass", "C*", NULL },
		{ "env", "pass", "*", NULL },
		{ "env", "pass", "1A", NULL },
		{ "env", "pass", "A=b", NULL },
		{ "env", "set", "A=b 'C=d e' F=", "'A=b' 'C=d e' 'F='" },
		{ "env", "set", "A", NULL },
		{ "env", "set", "=b", NULL },
		{ "env", "set", "CI_*=x", NULL },
		{ "view", "devices", "kvm", "kvm" },
		{ "view", "devices", "../sda", NULL },
		{ "view", "devices", "dri/card0", NULL },
		{ "view", "etc", "a/b", NULL },
		{ "view", "etc", "..", NULL },
		{ "view", "etc", "+", NULL },
	};
	struct profile profile;
	struct err err = { "" };

	(void)state;
	assert_int_equal(profile_init(&profile, &err), 0);
	for (size_t i = 0; i < COUNT(samples); i++) {
		const struct sample *sample = &samples[i];
		const struct keyword *keyword = profile_keyword(sample->section, sample->key);
		char *shown;
		int r;

		assert_non_null(keyword);
		r = setting_parse(&profile, keyword, sample->text, &err);
		if (r != (sample->shown ? 0 : -EINVAL))
			fail_msg("[%s] %s = %s: %d %s", sample->section, sample->key, sample->text, r, err.text);
		if (!sample->shown)
			continue;
		shown = setting_show(&profile, keyword);
		if (!shown || strcmp(shown, sample->shown) != 0)
			fail_msg("[%s] %s = %s: shown as %s", sample->section, sample->key, sample->text, shown);
		/* What is shown is read as the same again. */
		assert_int_equal(setting_parse(&profile, keyword, shown, &err), 0);
		free(shown);
		shown = setting_show(&profile, keyword);
		assert_string_equal(shown, sample->shown);
		free(shown);
	}
	profile_release(&profile);
}

static void a_refusal_quotes_the_value_escaped_and_says_what_is_accepted(void **state)
{
	struct profile profile;
	struct err err = { "" };

	(void)state;
	assert_int_equal(profile_init(&profile, &err), 0);
	assert_int_equal(setting_parse(&profile, profile_keyword("workspace", "access"), "wri\x1bte", &err), -EINVAL);
	assert_string_equal(err.text, "\"wri\\x1bte\" is not understood; accepted: write read none");
	profile_release(&profile);
}

static void a_refused_value_leaves_the_old_one(void **state)
{
	static const struct sample samples[] = {
		{ "workspace", "access", "none", "x" }, { "workspace", "path", "/srv/a", "b" }, { "workspace", "also", "/srv/a", "/srv/b c" },
		{ "tmp", "size", "64M", "x" }, { "cgroup", "tasks_max", "5", "x" }, { "time", "grace", "5s", "x" },
		{ "cgroup", "cpus", "2.50", "x" }, { "workspace", "umask", "022", "9" }, { "env", "set", "'A=b'", "C" },
	};
	struct profile profile;
	struct err err = { "" };

	(void)state;
	assert_int_equal(profile_init(&profile, &err), 0);
	for (size_t i = 0; i < COUNT(samples); i++) {
		const struct keyword *keyword = profile_keyword(samples[i].section, samples[i].key);
		char *shown;

		assert_int_equal(setting_parse(&profile, keyword, samples[i].text, &err), 0);
		assert_int_equal(setting_parse(&profile, keyword, samples[i].shown, &err), -EINVAL);
		shown = setting_show(&profile, keyword);
		assert_string_equal(shown, samples[i].text);
		free(shown);
	}
	profile_release(&profile);
}

static void names_that_steer_the_chains_helpers_are_refused(void **state)
{
	static const char *const guarded[] = { "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_X", "LD_", "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH",
		"PATH", "HOME", "TMPDIR", "STOCKADE_SESSION" };
	static const char *const globs[] = { "LD*", "LD_*", "LD_PRE*", "PA*", "PAT?", "GLIBC_*", "GC*", "HO*", "TM*", "LO*", "NL*", "STOCKADE*" };
	struct profile profile;
	struct err err = { "" };

	(void)state;
	assert_int_equal(profile_init(&profile, &err), 0);
	for (size_t i = 0; i < COUNT(guarded); i++) {
		char word[80];

		if (setting_parse(&profile, profile_keyword("env", "pass"), guarded[i], &err) != -EINVAL)
			fail_msg("pass = %s", guarded[i]);
		snprintf(word, sizeof(word), "%s=x", guarded[i]);
		if (setting_parse(&profile, profile_keyword("env", "set"), word, &err) != -EINVAL)
			fail_msg("set = %s", word);
	}
	for (size_t i = 0; i < COUNT(globs); i++)
		if (setting_parse(&profile, profile_keyword("env", "pass"), globs[i], &err) != -EINVAL)
			fail_msg("pass = %s", globs[i]);
	assert_int_equal(setting_parse(&profile, profile_keyword("env", "pass"), "PATHS HOMES LDX L_D CI_LD_*", &err), 0);
	profile_release(&profile);
}

static const char *etc_after(struct profile *profile, const char *text, char **shown)
{
	struct err err = { "" };

	assert_int_equal(setting_parse(profile, profile_keyword("view", "etc"), text, &err), 0);
	free(*shown);
	*shown = setting_show(profile, profile_keyword("view", "etc"));
	return *shown;
}

static void etc_words_with_plus_add_and_others_start_anew(void **state)
{
	struct profile profile;
	struct err err = { "" };
	char *shown = NULL;

	(void)state;
	assert_int_equal(profile_init(&profile, &err), 0);
	assert_string_equal(etc_after(&profile, "+hosts", &shown), "alternatives ld.so.cache ld.so.conf ld.so.conf.d localtime hosts");
	assert_string_equal(etc_after(&profile, "+hosts", &shown), "alternatives ld.so.cache ld.so.conf ld.so.conf.d localtime hosts");
	assert_string_equal(etc_after(&profile, "hosts", &shown), "hosts");
	assert_string_equal(etc_after(&profile, "+ssl", &shown), "hosts ssl ca-certificates ca-certificates.conf");
	assert_string_equal(etc_after(&profile, "+ssl", &shown), "hosts ssl ca-certificates ca-certificates.conf");
	assert_string_equal(etc_after(&profile, "+a b", &shown), "a b");
	assert_string_equal(etc_after(&profile, "", &shown), "");
	free(shown);
	profile_release(&profile);
}

static void every_preset_of_the_manual_adds_something(void **state)
{
	static const char *const presets[] = { "+java", "+tex", "+perl", "+python", "+fonts", "+ssl", "+r" };
	struct err err = { "" };

	(void)state;
	for (size_t i = 0; i < COUNT(presets); i++) {
		struct profile profile;
		char *shown = NULL;

		assert_int_equal(profile_init(&profile, &err), 0);
		etc_after(&profile, "", &shown);
		assert_true(strlen(etc_after(&profile, presets[i], &shown)) > 0);
		/* A preset is a list of entries: its own name is not just taken over. */
		if (strcmp(presets[i], "+perl") != 0 && strcmp(presets[i], "+fonts") != 0)
			assert_string_not_equal(shown, presets[i] + 1);
		free(shown);
		profile_release(&profile);
	}
}

static void an_empty_text_unsets_but_never_a_tool(void **state)
{
	struct profile profile;
	struct err err = { "" };

	(void)state;
	assert_int_equal(profile_init(&profile, &err), 0);
	assert_int_equal(setting_parse(&profile, profile_keyword("profile", "message"), "closed", &err), 0);
	assert_int_equal(setting_parse(&profile, profile_keyword("profile", "message"), "", &err), 0);
	assert_null(profile.message);
	for (size_t i = 0; i < profile_keywords_count; i++)
		if (profile_keywords[i].type == KEYWORD_TOOL && setting_parse(&profile, &profile_keywords[i], "", &err) != -EINVAL)
			fail_msg("[tools] %s may be empty", profile_keywords[i].key);
	profile_release(&profile);
}

static void a_path_may_begin_with_the_home_directory(void **state)
{
	struct profile profile;
	struct err err = { "" };

	(void)state;
	assert_int_equal(profile_init(&profile, &err), 0);
	assert_int_equal(setting_parse(&profile, profile_keyword("workspace", "path"), "%h/work", &err), 0);
	assert_int_equal(setting_parse(&profile, profile_keyword("workspace", "path"), "%h", &err), 0);
	assert_int_equal(setting_parse(&profile, profile_keyword("view", "read"), "?%h/shared %h/x", &err), 0);
	assert_int_equal(setting_parse(&profile, profile_keyword("workspace", "path"), "%hx", &err), -EINVAL);
	assert_int_equal(setting_parse(&profile, profile_keyword("workspace", "path"), "%h/../x", &err), -EINVAL);
	assert_int_equal(setting_parse(&profile, profile_keyword("workspace", "path"), "%u/x", &err), -EINVAL);
	profile_release(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_type_is_read_whole_and_shown_again),
		cmocka_unit_test(a_refusal_quotes_the_value_escaped_and_says_what_is_accepted),
		cmocka_unit_test(a_refused_value_leaves_the_old_one),
		cmocka_unit_test(names_that_steer_the_chains_helpers_are_refused),
		cmocka_unit_test(etc_words_with_plus_add_and_others_start_anew),
		cmocka_unit_test(every_preset_of_the_manual_adds_something),
		cmocka_unit_test(an_empty_text_unsets_but_never_a_tool),
		cmocka_unit_test(a_path_may_begin_with_the_home_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* What comes of loading; what needs the whole host is tested on one. */
#include "check.h"

#include "check_fixture.h"

static void names_a_missing_profile(void **state)
{
	struct check check;

	need_root();
	check_open(&check, *state);
	check_profile(&check);
	assert_int_equal(check.len, 1);
	assert_has(check_found(&check, CHECK_PROFILE_MISSING)->cure, "stockade enroll build");
	assert_false(check.has_profile);
	check_release(&check);
}

static void a_broken_line_is_named_and_commented_out(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	need_root();
	temp_dir(temp, "etc/stockade/profiles");
	temp_file(temp, "etc/stockade/profiles/build.ini", "[workspace]\npath = /srv\n[view]\nnonsense = 1\n", 0644);
	check_open(&check, temp);
	check_profile(&check);
	assert_string_equal(check_found(&check, CHECK_PROFILE_BROKEN)->cure, "sed -i '4s/^/#/' /etc/stockade/profiles/build.ini");
	check_release(&check);
}

static void a_file_that_others_can_write_becomes_roots(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	need_root();
	temp_dir(temp, "etc/stockade/profiles");
	temp_file(temp, "etc/stockade/profiles/build.ini", FIXTURE_WORKSPACE, 0666);
	check_open(&check, temp);
	check_profile(&check);
	assert_string_equal(check_found(&check, CHECK_PROFILE_BROKEN)->cure,
		"chown root:root /etc/stockade/profiles/build.ini && chmod go-w /etc/stockade/profiles/build.ini");
	check_release(&check);
}

static void a_setting_is_replaced_where_it_stands_or_added(void **state)
{
	struct check check;

	check_open(&check, *state);
	check_profile_text(&check, FIXTURE_WORKSPACE "[env]\nlocale = xx\n");
	check_cure_setting(&check, check_add(&check, CHECK_LOCALE_ABSENT, "", "x"), "env", "locale", "C.UTF-8");
	assert_string_equal(check.findings[0].cure, "sed -i '4c\\locale = C.UTF-8' /etc/stockade/profiles/build.ini");
	check_cure_setting(&check, check_add(&check, CHECK_LOCALE_ABSENT, "", "x"), "tmp", "floor", "5%");
	assert_string_equal(check.findings[1].cure, "printf '[tmp]\\n%s\\n' 'floor = 5%' >>/etc/stockade/profiles/build.ini");
	check_release(&check);
}

static void an_entry_of_etc_that_is_not_there_is_named_in_whatever_file(void **state)
{
	const struct temp *temp = *state;
	struct check check;

	need_root();
	temp_dir(temp, "etc/stockade/profiles");
	temp_dir(temp, "etc/perl");
	temp_file(temp, "etc/stockade/stockade.ini", "[view]\netc = +foo\n", 0644);
	temp_file(temp, "etc/stockade/profiles/base.ini", "[view]\netc = \"+perl +bar\"\n", 0644);
	temp_file(temp, "etc/stockade/profiles/build.ini", FIXTURE_WORKSPACE "[profile]\ninherits = base\n[view]\netc = +tex\n", 0644);
	check_open(&check, temp);
	check_profile(&check);
	assert_int_equal(check_count(&check, CHECK_PRESET_ABSENT), 3);
	for (size_t i = 0; i < check.len; i++) {
		if (check.findings[i].id == CHECK_PRESET_ABSENT && strstr(check.findings[i].what, "+foo: "))
			assert_string_equal(check.findings[i].cure, "sed -i '2s/^#*/#/' /etc/stockade/stockade.ini");
		if (check.findings[i].id == CHECK_PRESET_ABSENT && strstr(check.findings[i].what, "+bar: "))
			assert_string_equal(check.findings[i].cure, "sed -i '2s,\\([ \\t=\"]\\)+bar\\([ \\t\"]\\|$\\),\\1\\2,' /etc/stockade/profiles/base.ini");
	}
	check_release(&check);
	/* What a later file starts anew hides what stood before. */
	temp_file(temp, "etc/stockade/profiles/build.ini", FIXTURE_WORKSPACE "[profile]\ninherits = base\n[view]\netc = perl\n", 0644);
	check_open(&check, temp);
	check_profile(&check);
	assert_int_equal(check_count(&check, CHECK_PRESET_ABSENT), 0);
	check_release(&check);
}

static void fill_view(struct check *check, size_t mounts, enum facts_use use, size_t sources)
{
	struct plan *plan = &check->decision.plan;
	struct facts *facts = &check->decision.facts;

	plan->ops = calloc(mounts + 2, sizeof(*plan->ops));
	facts->sources = calloc(sources, sizeof(*facts->sources));
	assert_non_null(plan->ops);
	assert_non_null(facts->sources);
	for (plan->ops_len = 0; plan->ops_len < mounts; plan->ops_len++)
		plan->ops[plan->ops_len].kind = OP_RO_BIND;
	plan->ops[plan->ops_len++].kind = OP_SYMLINK;
	plan->ops[plan->ops_len++].kind = OP_SEAL;
	for (; facts->sources_len < sources; facts->sources_len++)
		facts->sources[facts->sources_len] = (struct facts_source){ .use = use, .source = { .fd = dup(0) } };
}

static void a_hundred_mounts_are_many_and_the_longest_list_is_named(void **state)
{
	struct check check;

	check_open(&check, *state);
	check_profile_text(&check, FIXTURE_WORKSPACE "[view]\nhide = /a\n");
	fill_view(&check, 99, USE_HIDE, 60);
	check_mounts(&check);
	assert_int_equal(check.len, 0);
	check.decision.plan.ops[100].kind = OP_TMPFS;
	check_mounts(&check);
	assert_has(check_found(&check, CHECK_MANY_MOUNTS)->what, "has 100 mounts, 60 of them by this line");
	assert_string_equal(check_found(&check, CHECK_MANY_MOUNTS)->cure, "sed -i '4s/^/#/' /etc/stockade/profiles/build.ini");
	check_release(&check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(names_a_missing_profile),
		temp_test(a_broken_line_is_named_and_commented_out),
		temp_test(a_file_that_others_can_write_becomes_roots),
		temp_test(a_setting_is_replaced_where_it_stands_or_added),
		temp_test(an_entry_of_etc_that_is_not_there_is_named_in_whatever_file),
		temp_test(a_hundred_mounts_are_many_and_the_longest_list_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "load.h"

#include "temp.h"

#define ETC "etc/stockade"
#define PATH "[workspace]\npath = /srv/build\n"

static struct load load_of(const struct temp *temp)
{
	temp_dir(temp, ETC "/profiles/build.d");
	return (struct load){ .root_fd = temp->fd, .dir = "/" ETC, .owner = geteuid() };
}

static struct account account_of(struct strv *groups)
{
	struct account account = { .name = (char *)"build" };

	account.groups = *groups;
	return account;
}

/* Loads into the profile, which the caller releases. */
static int load_all(const struct load *load, struct profile *profile, struct err *err)
{
	_cleanup_strv_ struct strv groups = STRV_INIT;
	struct account account;

	strv_add(&groups, "build");
	strv_add(&groups, "ci");
	strv_add(&groups, "staff");
	account = account_of(&groups);
	assert_int_equal(profile_init(profile, err), 0);
	return load_profile(profile, load, &account, err);
}

static void assert_loads(const struct load *load, unsigned grace, const char *last)
{
	struct profile profile;
	struct err err = { "" };

	if (load_all(load, &profile, &err))
		fail_msg("%s", err.text);
	assert_int_equal(profile.grace, grace);
	assert_string_equal(profile.files.items[profile.files.len - 1], last);
	profile_release(&profile);
}

static void assert_refuses(const struct load *load, int expected, const char *sentence)
{
	struct profile profile;
	struct err err = { "" };
	int r = load_all(load, &profile, &err);

	if (r != expected || !strstr(err.text, sentence))
		fail_msg("wanted %d %s, got %d %s", expected, sentence, r, err.text);
	profile_release(&profile);
}

static void the_accounts_file_stands_above_the_sites(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);

	temp_file(temp, ETC "/profiles/build.ini", PATH, 0644);
	assert_loads(&load, 10, "/" ETC "/profiles/build.ini");
	temp_file(temp, ETC "/stockade.ini", "[time]\ngrace = 1s\n[tools]\nbwrap = /opt/bwrap\n", 0644);
	assert_loads(&load, 1, "/" ETC "/profiles/build.ini");
	temp_file(temp, ETC "/profiles/build.ini", PATH "[time]\ngrace = 2s\n", 0644);
	assert_loads(&load, 2, "/" ETC "/profiles/build.ini");
}

static void without_a_profile_the_account_is_refused(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);

	temp_file(temp, ETC "/stockade.ini", PATH, 0644);
	assert_refuses(&load, -ENOENT, "no profile for user build");
	temp_file(temp, ETC "/profiles/buildx.ini", PATH, 0644);
	temp_file(temp, ETC "/profiles/@other.ini", PATH, 0644);
	assert_refuses(&load, -ENOENT, "no profile for user build");
}

static void a_groups_file_serves_where_there_is_one_and_no_own(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);

	temp_file(temp, ETC "/profiles/@ci.ini", PATH "[time]\ngrace = 3s\n", 0644);
	assert_loads(&load, 3, "/" ETC "/profiles/@ci.ini");
	temp_file(temp, ETC "/profiles/build.ini", PATH "[time]\ngrace = 4s\n", 0644);
	assert_loads(&load, 4, "/" ETC "/profiles/build.ini");
}

static void two_groups_files_are_refused_naming_both(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);

	temp_file(temp, ETC "/profiles/@ci.ini", PATH, 0644);
	temp_file(temp, ETC "/profiles/@staff.ini", PATH, 0644);
	assert_refuses(&load, -EINVAL, "both @ci.ini and @staff.ini are for user build");
}

static void inherited_profiles_stand_below_the_one_that_names_them(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);

	temp_file(temp, ETC "/stockade.ini", "[time]\ngrace = 1s\ntimeout = 1s\n[cgroup]\ntasks_max = 1\n", 0644);
	temp_file(temp, ETC "/profiles/base.ini", "[time]\ngrace = 5s\ntimeout = 5s\n[env]\npath = /base\n", 0644);
	temp_file(temp, ETC "/profiles/@team.ini", "[profile]\ninherits = base\n[time]\ngrace = 6s\n", 0644);
	temp_file(temp, ETC "/profiles/build.ini", PATH "[profile]\ninherits = @team\n", 0644);
	assert_loads(&load, 6, "/" ETC "/profiles/build.ini");
	temp_file(temp, ETC "/profiles/build.ini", PATH "[profile]\ninherits = @team\n[time]\ngrace = 7s\n", 0644);
	assert_loads(&load, 7, "/" ETC "/profiles/build.ini");
}

static void write_chain(const struct temp *temp, int levels)
{
	for (int i = 0; i <= levels; i++) {
		char name[64], text[128];

		snprintf(name, sizeof(name), i == 0 ? ETC "/profiles/build.ini" : ETC "/profiles/p%d.ini", i);
		snprintf(text, sizeof(text), i == levels ? PATH "[time]\ngrace = 9s\n" : "[profile]\ninherits = p%d\n", i + 1);
		temp_file(temp, name, text, 0644);
	}
}

static void at_most_eight_levels_are_inherited_and_no_circle(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);

	write_chain(temp, 8);
	assert_loads(&load, 9, "/" ETC "/profiles/build.ini");
	write_chain(temp, 9);
	assert_refuses(&load, -ELOOP, "/" ETC "/profiles/p8.ini:2: [profile] inherits: more than 8 levels: build, p1, p2, p3, p4, p5, p6, p7, p8, p9");
	temp_file(temp, ETC "/profiles/build.ini", PATH "[profile]\ninherits = build\n", 0644);
	assert_refuses(&load, -ELOOP, "/" ETC "/profiles/build.ini:4: [profile] inherits: a circle: build, and build again");
	temp_file(temp, ETC "/profiles/build.ini", PATH "[profile]\ninherits = @a\n", 0644);
	temp_file(temp, ETC "/profiles/@a.ini", "[profile]\ninherits = b\n", 0644);
	temp_file(temp, ETC "/profiles/b.ini", "[profile]\nmessage = x\ninherits = @a\n", 0644);
	assert_refuses(&load, -ELOOP, "/" ETC "/profiles/b.ini:3: [profile] inherits: a circle: build, @a, b, and @a again");
}

static void a_parent_that_is_not_there_is_refused_and_not_taken_for_no_profile(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);

	temp_file(temp, ETC "/profiles/build.ini", PATH "[profile]\ninherits = none\n", 0644);
	assert_refuses(&load, -EINVAL, "/" ETC "/profiles/build.ini:4: [profile] inherits: /" ETC "/profiles/none.ini: does not exist");
	temp_file(temp, ETC "/profiles/build.ini", PATH "[profile]\ninherits = ../stockade\n", 0644);
	assert_refuses(&load, -EINVAL, "/" ETC "/profiles/build.ini:4: [profile] inherits: \"../stockade\" is not a profile's name");
	temp_file(temp, ETC "/profiles/build.ini", PATH "[profile]\ninherits = @@x\n", 0644);
	assert_refuses(&load, -EINVAL, "\"@@x\" is not a profile's name");
	temp_file(temp, ETC "/profiles/build.ini", PATH "[profile]\ninherits = base\n", 0644);
	temp_file(temp, ETC "/profiles/base.ini", "[time]\ngrace = soon\n", 0644);
	assert_refuses(&load, -EINVAL, "/" ETC "/profiles/base.ini:2: [time] grace: \"soon\"");
	temp_file(temp, ETC "/profiles/base.ini", "[time]\ngrace = 1s\n", 0666);
	assert_refuses(&load, -EPERM, "/" ETC "/profiles/build.ini:4: [profile] inherits: /" ETC "/profiles/base.ini: is not root's");
}

static void every_file_and_directory_on_the_way_must_be_the_owners_alone(void **state)
{
	static const struct {
		const char *path;
		mode_t mode;
	} loose[] = { { ETC "/profiles/build.ini", 0664 }, { ETC "/profiles/build.ini", 0646 }, { ETC "/stockade.ini", 0664 }, { ETC "/profiles", 0775 },
		{ ETC "/profiles", 01777 }, { ETC, 0757 }, { "etc", 0775 } };
	const struct temp *temp = *state;
	const struct load load = load_of(temp);

	temp_file(temp, ETC "/stockade.ini", "", 0644);
	temp_file(temp, ETC "/profiles/build.ini", PATH, 0644);
	for (size_t i = 0; i < sizeof(loose) / sizeof(loose[0]); i++) {
		struct stat st;

		assert_int_equal(fstatat(temp->fd, loose[i].path, &st, 0), 0);
		assert_int_equal(fchmodat(temp->fd, loose[i].path, loose[i].mode, 0), 0);
		assert_refuses(&load, -EPERM, loose[i].path);
		assert_int_equal(fchmodat(temp->fd, loose[i].path, st.st_mode & 07777, 0), 0);
		assert_loads(&load, 10, "/" ETC "/profiles/build.ini");
	}
}

static void a_profile_of_another_user_is_refused(void **state)
{
	const struct temp *temp = *state;
	struct load load = load_of(temp);

	temp_file(temp, ETC "/profiles/build.ini", PATH, 0644);
	load.owner = geteuid() + 1;
	assert_refuses(&load, -EPERM, "is not root's, or others can write it");
}

static void a_linked_profile_is_refused(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);

	temp_file(temp, ETC "/profiles/real.ini", PATH, 0644);
	temp_link(temp, "real.ini", ETC "/profiles/build.ini");
	assert_refuses(&load, -ELOOP, "build.ini: is reached through a link");
	/* One that leads nowhere is there all the same, and no reason to look for a group's. */
	assert_int_equal(unlinkat(temp->fd, ETC "/profiles/build.ini", 0), 0);
	temp_file(temp, ETC "/profiles/@ci.ini", PATH, 0644);
	temp_link(temp, "gone.ini", ETC "/profiles/build.ini");
	{
		struct profile profile;
		struct err err = { "" };

		assert_true(load_all(&load, &profile, &err) < 0);
		profile_release(&profile);
	}
}

static void a_broken_profile_is_refused_with_file_and_line(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);

	temp_file(temp, ETC "/profiles/build.ini", PATH "[nonsense]\na = b\n", 0644);
	assert_refuses(&load, -EINVAL, "/" ETC "/profiles/build.ini:4: [nonsense] a: ");
	temp_file(temp, ETC "/profiles/build.ini", PATH, 0644);
	temp_file(temp, ETC "/stockade.ini", "[time]\ngrace = x\n", 0644);
	assert_refuses(&load, -EINVAL, "/" ETC "/stockade.ini:2: [time] grace: ");
}

static int with_actor(const struct load *load, const char *actor, struct profile *profile, struct err *err)
{
	int r = load_all(load, profile, err);

	return r ? r : load_actor(profile, load, "build", actor, err);
}

static void an_actors_file_stands_above_all_and_may_be_missing(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);
	struct profile profile;
	struct err err = { "" };

	temp_file(temp, ETC "/profiles/build.ini", PATH "[time]\ngrace = 2s\n", 0644);
	temp_file(temp, ETC "/profiles/build.d/alice.ini", "[time]\ngrace = 8s\n", 0644);
	temp_file(temp, ETC "/profiles/build.d/eve.ini", "[log]\ncommand = none\n", 0644);
	temp_file(temp, ETC "/profiles/build.d/mallory.ini", "[time]\ngrace = 9s\n", 0666);
	assert_int_equal(with_actor(&load, "alice", &profile, &err), 0);
	assert_int_equal(profile.grace, 8);
	profile_release(&profile);
	assert_int_equal(with_actor(&load, "bob", &profile, &err), 0);
	assert_int_equal(profile.grace, 2);
	profile_release(&profile);
	assert_int_equal(with_actor(&load, "eve", &profile, &err), -EINVAL);
	assert_non_null(strstr(err.text, "eve.ini:2: [log] command: may not stand in an actor's file"));
	profile_release(&profile);
	assert_int_equal(with_actor(&load, "mallory", &profile, &err), -EPERM);
	profile_release(&profile);
	assert_int_equal(with_actor(&load, "../build", &profile, &err), -EINVAL);
	profile_release(&profile);
}

static void an_account_whose_name_cannot_stand_in_a_path_has_no_profile(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);
	const char *const names[] = { "../build", "", ".", "a/b", "@ci", "-x" };

	temp_file(temp, ETC "/profiles/@ci.ini", PATH, 0644);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct account account = { .name = (char *)names[i] };
		char *name = NULL;

		assert_int_equal(load_find(&load, &account, &name, &(struct err){ "" }), -EINVAL);
		assert_null(name);
	}
}

static void the_sites_file_alone_gives_the_tools(void **state)
{
	const struct temp *temp = *state;
	const struct load load = load_of(temp);
	struct profile profile;
	struct err err = { "" };

	assert_int_equal(profile_init(&profile, &err), 0);
	assert_int_equal(load_site(&profile, &load, &err), 0);
	assert_string_equal(profile.tool_bwrap, "/usr/bin/bwrap");
	temp_file(temp, ETC "/stockade.ini", "[tools]\nbwrap = /opt/bwrap\n", 0644);
	assert_int_equal(load_site(&profile, &load, &err), 0);
	assert_string_equal(profile.tool_bwrap, "/opt/bwrap");
	profile_release(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		temp_test(the_accounts_file_stands_above_the_sites),
		temp_test(without_a_profile_the_account_is_refused),
		temp_test(a_groups_file_serves_where_there_is_one_and_no_own),
		temp_test(two_groups_files_are_refused_naming_both),
		temp_test(inherited_profiles_stand_below_the_one_that_names_them),
		temp_test(at_most_eight_levels_are_inherited_and_no_circle),
		temp_test(a_parent_that_is_not_there_is_refused_and_not_taken_for_no_profile),
		temp_test(every_file_and_directory_on_the_way_must_be_the_owners_alone),
		temp_test(a_profile_of_another_user_is_refused),
		temp_test(a_linked_profile_is_refused),
		temp_test(a_broken_profile_is_refused_with_file_and_line),
		temp_test(an_actors_file_stands_above_all_and_may_be_missing),
		temp_test(an_account_whose_name_cannot_stand_in_a_path_has_no_profile),
		temp_test(the_sites_file_alone_gives_the_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/* The table itself, and its copy for people: man/stockade.ini.5. Runs from the top of the tree. */
#include <stdbool.h>

#include "fixture.h"

#include "setting.h"

#define MANUAL "man/stockade.ini.5"

struct manual {
	char *names[256]; /* "[section] key" */
	size_t len;
};

static void read_manual(struct manual *manual)
{
	FILE *file = fopen(MANUAL, "r");
	char line[1024], section[64] = "";

	if (!file)
		fail_msg(MANUAL ": not there; run from the top of the tree");
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, ".Sh ", 4) == 0)
			section[0] = '\0';
		if (strncmp(line, ".Ss [", 5) == 0)
			snprintf(section, sizeof(section), "%.60s", line + 4);
		if (!section[0] || strncmp(line, ".It Cm ", 7) != 0)
			continue;
		assert_true(manual->len < COUNT(manual->names));
		assert_true(asprintf(&manual->names[manual->len++], "%s %s", section, line + 7) > 0);
	}
	fclose(file);
}

static void release_manual(struct manual *manual)
{
	for (size_t i = 0; i < manual->len; i++)
		free(manual->names[i]);
}

static size_t times(const struct manual *manual, const char *section, const char *key)
{
	char name[128];
	size_t count = 0;

	snprintf(name, sizeof(name), "[%s] %s", section, key);
	for (size_t i = 0; i < manual->len; i++)
		count += strcmp(manual->names[i], name) == 0;
	return count;
}

static void every_key_has_one_entry_in_the_manual(void **state)
{
	struct manual manual = { .len = 0 };
	char missing[1024] = "";

	(void)state;
	read_manual(&manual);
	for (size_t i = 0; i < profile_keywords_count; i++)
		if (times(&manual, profile_keywords[i].section, profile_keywords[i].key) != 1)
			snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing), " [%s] %s", profile_keywords[i].section,
				profile_keywords[i].key);
	for (size_t i = 0; i < LIMITS_COUNT; i++)
		if (times(&manual, "limits", limits_table[i].name) != 1)
			snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing), " [limits] %s", limits_table[i].name);
	release_manual(&manual);
	if (missing[0])
		fail_msg("not once in " MANUAL ":%s", missing);
}

static void every_entry_of_the_manual_is_a_key(void **state)
{
	struct manual manual = { .len = 0 };
	char unknown[1024] = "";

	(void)state;
	read_manual(&manual);
	for (size_t i = 0; i < manual.len; i++) {
		char section[64] = "", key[64] = "";
		bool is_key = sscanf(manual.names[i], "[%63[^]]] %63s", section, key) == 2;

		is_key = is_key && (strcmp(section, "limits") == 0 ? limits_find(key) >= 0 : profile_keyword(section, key) != NULL);
		if (!is_key)
			snprintf(unknown + strlen(unknown), sizeof(unknown) - strlen(unknown), " %s", manual.names[i]);
	}
	release_manual(&manual);
	if (unknown[0])
		fail_msg("in " MANUAL " only:%s", unknown);
}

/* The words of an entry, its lines joined by blanks. */
static void read_entry(const char *section, const char *key, char *text, size_t size)
{
	FILE *file = fopen(MANUAL, "r");
	char line[1024], head[80], item[80];
	bool is_section = false, is_entry = false;

	assert_non_null(file);
	snprintf(head, sizeof(head), ".Ss [%s]\n", section);
	snprintf(item, sizeof(item), ".It Cm %s\n", key);
	text[0] = '\0';
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, ".Ss ", 4) == 0)
			is_section = strcmp(line, head) == 0;
		if (strncmp(line, ".It ", 4) == 0 || strncmp(line, ".El", 3) == 0)
			is_entry = is_section && strcmp(line, item) == 0;
		if (is_entry)
			strncat(text, line, size - strlen(text) - 1);
	}
	fclose(file);
}

static void the_manual_states_each_default(void **state)
{
	(void)state;
	for (size_t i = 0; i < profile_keywords_count; i++) {
		const struct keyword *keyword = &profile_keywords[i];
		char text[4096], expected[256];

		read_entry(keyword->section, keyword->key, text, sizeof(text));
		if (!text[0])
			continue;
		snprintf(expected, sizeof(expected), "Default: %s.\n", keyword->default_text[0] ? keyword->default_text : "none");
		if (!strstr(text, expected))
			fail_msg("[%s] %s: no \"%s\" in its entry:\n%s", keyword->section, keyword->key, expected, text);
		if ((keyword->place == PLACE_NOT_ACTOR) != (strstr(text, "Not in an actor's file.") != NULL))
			fail_msg("[%s] %s: may it stand in an actor's file?", keyword->section, keyword->key);
	}
}

static void no_two_rows_share_a_name_or_a_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < profile_keywords_count; i++)
		for (size_t j = i + 1; j < profile_keywords_count; j++) {
			const struct keyword *a = &profile_keywords[i], *b = &profile_keywords[j];

			if (a->offset == b->offset || (strcmp(a->section, b->section) == 0 && strcmp(a->key, b->key) == 0))
				fail_msg("[%s] %s and [%s] %s", a->section, a->key, b->section, b->key);
		}
}

static void only_stockade_ini_may_name_tools(void **state)
{
	(void)state;
	for (size_t i = 0; i < profile_keywords_count; i++) {
		const struct keyword *keyword = &profile_keywords[i];

		assert_int_equal(keyword->place == PLACE_SITE, strcmp(keyword->section, "tools") == 0);
		assert_int_equal(keyword->type == KEYWORD_TOOL, strcmp(keyword->section, "tools") == 0);
	}
}

/* design: "[account] [log] [actors] may not stand, and of [profile] only enabled and message". */
static void an_actors_file_has_no_say_in_account_log_and_grade(void **state)
{
	(void)state;
	for (size_t i = 0; i < profile_keywords_count; i++) {
		const struct keyword *keyword = &profile_keywords[i];
		bool is_profile = strcmp(keyword->section, "profile") == 0;
		bool is_closed = strcmp(keyword->section, "account") == 0 || strcmp(keyword->section, "log") == 0 ||
			(is_profile && strcmp(keyword->key, "enabled") != 0 && strcmp(keyword->key, "message") != 0);

		if (is_closed && keyword->place == PLACE_ANY)
			fail_msg("[%s] %s", keyword->section, keyword->key);
		if (is_profile && !is_closed)
			assert_int_equal(keyword->place, PLACE_ANY);
	}
}

static void every_default_is_read_and_shown_as_it_is_written(void **state)
{
	struct profile profile;
	struct err err = { "" };

	(void)state;
	assert_int_equal(profile_init(&profile, &err), 0);
	for (size_t i = 0; i < profile_keywords_count; i++) {
		const struct keyword *keyword = &profile_keywords[i];
		char *shown = setting_show(&profile, keyword);
		/* Times are shown in seconds, and a word with ? is quoted. */
		bool has_form_of_its_own = keyword->type == KEYWORD_DURATION || keyword->type == KEYWORD_PATHS;

		assert_non_null(shown);
		if (!has_form_of_its_own && strcmp(shown, keyword->default_text) != 0)
			fail_msg("[%s] %s: %s", keyword->section, keyword->key, shown);
		free(shown);
	}
	profile_release(&profile);
}

static void every_row_says_what_it_accepts_and_what_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < profile_keywords_count; i++) {
		assert_true(strlen(profile_keywords[i].accepts) > 0);
		assert_true(strlen(profile_keywords[i].help) > 0);
		assert_int_equal(strcspn(profile_keywords[i].help, "\n"), strlen(profile_keywords[i].help));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_has_one_entry_in_the_manual),
		cmocka_unit_test(every_entry_of_the_manual_is_a_key),
		cmocka_unit_test(the_manual_states_each_default),
		cmocka_unit_test(no_two_rows_share_a_name_or_a_field),
		cmocka_unit_test(only_stockade_ini_may_name_tools),
		cmocka_unit_test(an_actors_file_has_no_say_in_account_log_and_grade),
		cmocka_unit_test(every_default_is_read_and_shown_as_it_is_written),
		cmocka_unit_test(every_row_says_what_it_accepts_and_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
/*
 * Golden cases: a folder of tests/golden each, with what goes in and what must come out.
 *
 *   profile.ini   the account's profile, on top of the built-in defaults
 *   request       key=value lines: command=TEXT (none: a login), tty=yes, as=NAME, actor=NAME, from=SSH_CONNECTION,
 *                 env=NAME=VALUE, and for the run's end exit=N, by=WORD, oom=N, oom_hits=N, seconds=N
 *   facts         key=value lines that change the facts of fixture.h: lost=FACET, lost_why=, limits_problem=, unlimited_why=,
 *                 tool_problem=,               memory=BYTES, swap=BYTES, term=no, locale=no, expand_environment=no, bin=dir, hard=LIMIT VALUE,
 *                 absent=PATH, file=PATH, socket=PATH, foreign=PATH, leads=PATH TARGET, loose=PATH COMPONENT,
 *                 readback=FILE VALUE (what the scope shows of a limit), network_problem=, name=NAME ADDRESS, listens=PATH, own=ADDRESS
 *                 (of the host), resolv_conf=PATH
 *   argv, bwrap   the chain and bwrap's options, one argument a line (newlines as \x0a); empty where it is refused
 *   helper, rules with a private network: its helper's command, and what nft reads
 *   records       the log's records, and the lines on standard error behind "stderr: "
 *
 * GOLDEN_UPDATE=1 (make golden-update) writes the last ones; a plain run writes nothing. Runs from the top of the tree.
 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "fixture.h"
#include "report.h"

#define GOLDEN "tests/golden"
#define CASES_MIN 55
#define CASES_MAX 100

struct golden {
	const char *name;
	struct fixture f;
	char command[4096], as[64], actor[64], from[128];
	bool has_command;
	struct strv readback; /* FILE VALUE */
	struct outcome_input end;
	double seconds;
	long long oom_hits;
};

static char *read_file(const char *name, const char *file)
{
	char path[512], *text = calloc(1, 65536);
	int fd;

	snprintf(path, sizeof(path), GOLDEN "/%s/%s", name, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!text || fd < 0 || read(fd, text, 65535) < 0)
		fail_msg("%s cannot be read", path);
	close(fd);
	return text;
}

static bool is_updating(void)
{
	const char *update = getenv("GOLDEN_UPDATE");

	return update && strcmp(update, "1") == 0;
}

/* The first line that differs says enough; the rest is in git diff after an update. */
static void compare(const char *name, const char *file, const char *found)
{
	char path[512], *expected;
	FILE *out;

	snprintf(path, sizeof(path), GOLDEN "/%s/%s", name, file);
	if (is_updating()) {
		out = fopen(path, "w");
		assert_non_null(out);
		assert_true(fputs(found, out) >= 0 && fclose(out) == 0);
		return;
	}
	expected = read_file(name, file);
	for (const char *a = expected, *b = found; *a || *b;) {
		size_t a_len = strcspn(a, "\n"), b_len = strcspn(b, "\n");

		if (a_len != b_len || strncmp(a, b, a_len) != 0)
			fail_msg("%s: expected: %.*s\nfound: %.*s\n(make golden-update writes what is found; read the diff)", path, (int)a_len, a,
				(int)b_len, b);
		a += a_len + (a[a_len] == '\n');
		b += b_len + (b[b_len] == '\n');
	}
	assert_string_equal(found, expected);
	free(expected);
}

typedef void take(struct golden *golden, const char *key, const char *value);

static void each_line(struct golden *golden, const char *file, take *take_one)
{
	char *text = read_file(golden->name, file), *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *equals = strchr(line, '=');

		if (line[0] == '#')
			continue;
		if (!equals)
			fail_msg("%s/%s: %s", golden->name, file, line);
		*equals = '\0';
		take_one(golden, line, equals + 1);
	}
	free(text);
}

static enum outcome_by by_from_name(const char *name)
{
	for (int by = BY_PAYLOAD; by <= BY_LOST; by++)
		if (strcmp(outcome_by_name((enum outcome_by)by), name) == 0)
			return (enum outcome_by)by;
	fail_msg("no such end: %s", name);
	abort();
}

static void take_request(struct golden *golden, const char *key, const char *value)
{
	if (strcmp(key, "command") == 0) {
		snprintf(golden->command, sizeof(golden->command), "%s", value);
		golden->has_command = true;
	} else if (strcmp(key, "tty") == 0) {
		golden->f.request.has_terminal = strcmp(value, "yes") == 0;
	} else if (strcmp(key, "as") == 0) {
		snprintf(golden->as, sizeof(golden->as), "%s", value);
	} else if (strcmp(key, "actor") == 0) {
		snprintf(golden->actor, sizeof(golden->actor), "%s", value);
	} else if (strcmp(key, "from") == 0) {
		snprintf(golden->from, sizeof(golden->from), "%s", value);
	} else if (strcmp(key, "env") == 0) {
		strv_add(&golden->f.client_env, value);
	} else if (strcmp(key, "exit") == 0) {
		golden->end.exit_code = atoi(value);
	} else if (strcmp(key, "by") == 0) {
		golden->end.by = by_from_name(value);
	} else if (strcmp(key, "oom") == 0) {
		golden->end.oom_kills = strtoul(value, NULL, 10);
		golden->oom_hits = (long long)golden->end.oom_kills;
	} else if (strcmp(key, "oom_hits") == 0) {
		golden->oom_hits = atoll(value);
	} else if (strcmp(key, "seconds") == 0) {
		golden->seconds = atof(value);
	} else {
		fail_msg("%s/request: no such key: %s", golden->name, key);
	}
}

static unsigned facet_from_name(const char *name)
{
	for (unsigned facet = FACET_PIDNS; facet <= FACET_LIMITS; facet <<= 1) {
		char text[64];

		if (strcmp(facets_text(facet, text, sizeof(text)), name) == 0)
			return facet;
	}
	fail_msg("no such facet: %s", name);
	abort();
}

/* "PATH REST" */
static bool take_source(struct golden *golden, const char *key, const char *value)
{
	static const char *const keys[] = { "absent", "file", "socket", "foreign", "leads", "loose" };
	char path[256];
	const char *rest = value + strcspn(value, " ");
	struct facts_source *item;
	size_t which = 0;

	while (which < COUNT(keys) && strcmp(keys[which], key) != 0)
		which++;
	if (which == COUNT(keys))
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)(rest - value), value);
	rest += *rest == ' ';
	item = fixture_source(&golden->f, path);
	if (which == 0) {
		item->source.kind = SOURCE_ABSENT;
		item->source.fd = -1;
	} else if (which == 1 || which == 2) {
		item->source.kind = which == 1 ? SOURCE_FILE : SOURCE_SOCKET;
	} else if (which == 3) {
		item->source.uid = item->source.gid = 7;
	} else if (which == 4) {
		free(item->source.path);
		item->source.path = strdup(rest);
	} else {
		snprintf(item->source.loose, sizeof(item->source.loose), "%s", rest);
	}
	return true;
}

static void take_bin(struct facts *facts, struct fixture *f)
{
	memmove(facts->mirrors, facts->mirrors + 1, --facts->mirrors_len * sizeof(facts->mirrors[0]));
	fixture_add(f, USE_USR, "", "/bin");
}

/* "NAME ADDRESS" */
static void take_name(struct facts_network *network, const char *value)
{
	size_t len = strcspn(value, " ");

	network->names = reallocarray(network->names, network->names_len + 1, sizeof(*network->names));
	assert_non_null(network->names);
	network->names[network->names_len].name = strndup(value, len);
	snprintf(network->names[network->names_len++].address, sizeof(network->names[0].address), "%s", value + len + (value[len] == ' '));
}

static void take_facts(struct golden *golden, const char *key, const char *value)
{
	struct facts *facts = &golden->f.facts;
	char name[32];
	unsigned long long number;

	if (take_source(golden, key, value))
		return;
	if (strcmp(key, "listens") == 0) {
		fixture_add(&golden->f, USE_SOCKET, "", value)->source.kind = SOURCE_SOCKET;
		return;
	}
	if (strcmp(key, "lost") == 0)
		facts->lost |= facet_from_name(value);
	else if (strcmp(key, "lost_why") == 0)
		snprintf(facts->lost_why, sizeof(facts->lost_why), "%s", value);
	else if (strcmp(key, "limits_problem") == 0)
		snprintf(facts->limits_problem, sizeof(facts->limits_problem), "%s", value);
	else if (strcmp(key, "unlimited_why") == 0)
		snprintf(facts->unlimited_why, sizeof(facts->unlimited_why), "%s", value);
	else if (strcmp(key, "tool_problem") == 0)
		snprintf(facts->tool_problem, sizeof(facts->tool_problem), "%s", value);
	else if (strcmp(key, "memory") == 0)
		facts->memory_total = strtoull(value, NULL, 10);
	else if (strcmp(key, "swap") == 0)
		facts->swap_total = strtoull(value, NULL, 10);
	else if (strcmp(key, "term") == 0)
		facts->has_term = strcmp(value, "no") != 0;
	else if (strcmp(key, "locale") == 0)
		facts->has_locale = strcmp(value, "no") != 0;
	else if (strcmp(key, "expand_environment") == 0)
		facts->has_expand_environment = strcmp(value, "no") != 0;
	else if (strcmp(key, "bin") == 0 && strcmp(value, "dir") == 0)
		take_bin(facts, &golden->f);
	else if (strcmp(key, "hard") == 0 && sscanf(value, "%31s %llu", name, &number) == 2)
		facts->hard_limits[limits_find(name)] = number;
	else if (strcmp(key, "network_problem") == 0)
		snprintf(facts->network.problem, sizeof(facts->network.problem), "%s", value);
	else if (strcmp(key, "resolv_conf") == 0)
		snprintf(facts->network.resolv_conf, sizeof(facts->network.resolv_conf), "%s", value);
	else if (strcmp(key, "own") == 0)
		strv_add(&facts->network.own, value);
	else if (strcmp(key, "name") == 0)
		take_name(&facts->network, value);
	else if (strcmp(key, "readback") == 0)
		strv_add(&golden->readback, value);
	else
		fail_msg("%s/facts: no such key: %s", golden->name, key);
}

static void golden_request(struct golden *golden)
{
	char *const plain[] = { (char *)"stockade-gateway", NULL }, *const as[] = { (char *)"stockade-gateway", (char *)"--as", golden->as, NULL };
	const struct request_input input = {
		.argc = golden->as[0] ? 3 : 1,
		.argv = golden->as[0] ? as : plain,
		.original_command = golden->has_command ? golden->command : NULL,
		.connection = golden->from[0] ? golden->from : "192.0.2.7 52214 198.51.100.1 22",
		.term = "xterm",
		.has_terminal = golden->f.request.has_terminal,
	};
	struct err err = { "" };

	if (request_parse(&golden->f.request, &input, &err))
		fail_msg("%s: %s", golden->name, err.text);
	if (golden->as[0] || golden->actor[0])
		golden->f.input.actor = golden->as[0] ? golden->as : golden->actor;
}

static void read_back(struct golden *golden)
{
	struct plan *plan = &golden->f.plan;
	const char *values[PLAN_LIMITS_MAX];

	for (size_t i = 0; i < plan->limits_len; i++) {
		size_t len = strlen(plan->limits[i].file);

		values[i] = plan->limits[i].expected;
		for (size_t j = 0; j < golden->readback.len; j++)
			if (strncmp(golden->readback.items[j], plan->limits[i].file, len) == 0 && golden->readback.items[j][len] == ' ')
				values[i] = golden->readback.items[j] + len + 1;
	}
	plan_settle_limits(plan, &golden->f.profile, values);
}

static void add_record(char *text, size_t size, const struct record *record)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s\n", record->text);
}

static void add_sentence(char *text, size_t size, const char *sentence)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "user: %s\n", sentence);
}

/* start and end, or refuse, and what the user is told. */
static void make_records(struct golden *golden, char *text, size_t size)
{
	const struct report_run run = { .seconds = golden->seconds, .peak = 812ll << 20, .oom_kills = (long long)golden->end.oom_kills, .oom_hits = golden->oom_hits, .pids_max = -1 };
	struct decision decision;
	struct outcome outcome;
	struct record record;
	char sentence[256];

	text[0] = '\0';
	if (golden->f.plan.reason == REASON_NONE)
		read_back(golden);
	decision = (struct decision){ .account = golden->f.account, .request = golden->f.request, .profile = golden->f.profile,
		.has_profile = true, .verdict = golden->f.verdict, .facts = golden->f.facts, .input = golden->f.input, .plan = golden->f.plan };
	if (golden->f.plan.reason != REASON_NONE) {
		report_refuse(&record, &decision, "k3v9q2m7", "");
		add_record(text, size, &record);
		add_sentence(text, size, decision.plan.sentence);
		return;
	}
	report_start(&record, &decision, "k3v9q2m7", "");
	add_record(text, size, &record);
	golden->end.has_exit_code = true;
	outcome_decide(&outcome, &golden->end);
	report_end(&record, &decision, "k3v9q2m7", &outcome, &run);
	add_record(text, size, &record);
	if (report_sentence(sentence, sizeof(sentence), &decision, &outcome, &run, ""))
		add_sentence(text, size, sentence);
}

static void compare_words(const char *name, const char *file, const struct strv *words)
{
	char text[65536] = "";

	for (size_t i = 0; i < words->len; i++) {
		size_t len = strlen(text);

		text_escape(text + len, sizeof(text) - len - 1, words->items[i], strlen(words->items[i]));
		strcat(text, "\n");
	}
	compare(name, file, text);
}

static void compare_network(struct golden *golden)
{
	const struct argv_helper_fds none = { -1, -1, -1, -1 };
	_cleanup_strv_ struct strv helper = STRV_INIT;
	struct err err;

	if (!golden->f.plan.net_rules || golden->f.plan.reason != REASON_NONE)
		return;
	assert_int_equal(argv_render_helper(&helper, &golden->f.plan, &golden->f.input, &none, &err), 0);
	compare_words(golden->name, "helper", &helper);
	compare(golden->name, "rules", golden->f.plan.net_rules);
}

static void the_case_comes_out_as_it_is_written(void **state)
{
	struct golden golden = { .name = *state };
	char *profile = read_file(golden.name, "profile.ini"), records[8192];

	fixture_open(&golden.f, profile);
	each_line(&golden, "request", take_request);
	each_line(&golden, "facts", take_facts);
	golden_request(&golden);
	fixture_decide(&golden.f);
	compare_words(golden.name, "argv", &golden.f.argv);
	compare_words(golden.name, "bwrap", &golden.f.bwrap);
	compare_network(&golden);
	make_records(&golden, records, sizeof(records));
	compare(golden.name, "records", records);
	fixture_close(&golden.f);
	strv_release(&golden.readback);
	free(profile);
}

static int is_case(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(void)
{
	struct CMUnitTest tests[CASES_MAX];
	struct dirent **entries = NULL;
	int count = scandir(GOLDEN, &entries, is_case, alphasort), failed;

	if (count < CASES_MIN || count > CASES_MAX) {
		fprintf(stderr, GOLDEN ": %d cases, at least %d are wanted; run from the top of the tree\n", count, CASES_MIN);
		return 1;
	}
	for (int i = 0; i < count; i++)
		tests[i] = (struct CMUnitTest){ .name = entries[i]->d_name, .test_func = the_case_comes_out_as_it_is_written,
			.initial_state = entries[i]->d_name };
	failed = _cmocka_run_group_tests("golden", tests, (size_t)count, NULL, NULL);
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	return failed;
}

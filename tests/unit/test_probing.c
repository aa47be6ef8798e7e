/* SPDX-License-Identifier: ISC */
/* The whole probe on a system of the test's own, by root; which cure goes with which setting needs hosts that have them: the system tests. */
#include "probing.h"

#include <json-c/json.h>

#include "private_command.h"

static void open_host(void)
{
	system_host();
	if (mount("none", "/run", "tmpfs", 0, "mode=0755") || mount("none", "/opt", "tmpfs", 0, "mode=0755"))
		_exit(NO_SYSTEM);
	system_log();
}

static void check_usage(void)
{
	open_host();
	CHECK(RUN_COMMAND(probing_main, "--nonsense") == 2);
	CHECK(strstr(complained, "usage: ") && !shown[0]);
	CHECK(RUN_COMMAND(probing_main, "no-such-user") == 2);
	CHECK(strstr(complained, "no-such-user") && !shown[0]);
	CHECK(RUN_COMMAND(probing_main, "root") == 2);
	CHECK(strstr(complained, "root is not confined") && !shown[0]);
}

static void wrong_usage_unknown_users_and_root_are_2(void **state)
{
	(void)state;
	system_run(check_usage);
}

static int probe_as_nobody(int argc, char *argv[])
{
	return setgid(SYSTEM_USER) || setuid(SYSTEM_USER) ? 99 : probing_main(argc, argv);
}

static void check_root(void)
{
	open_host();
	CHECK(command_run(probe_as_nobody, (const char *const[]){ NULL }) == 2);
	CHECK(strstr(complained, "has to be run by root") && !shown[0]);
}

static void only_root_probes(void **state)
{
	(void)state;
	system_run(check_root);
}

static struct json_object *row_of(struct json_object *list, const char *facet)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);

		if (strcmp(json_object_get_string(json_object_object_get(row, "facet")), facet) == 0)
			return row;
	}
	fprintf(stderr, "no %s in:\n%s\n", facet, shown);
	_exit(1);
}

static const char *text_of(struct json_object *row, const char *key)
{
	return json_object_get_string(json_object_object_get(row, key));
}

static void check_rows(void)
{
	static const char *const keys[] = { "facet", "result", "how", "said", "mend" };
	static const char *const results[] = { "ok", "missing", "failed" };
	struct json_object *list;
	int status;

	open_host();
	status = RUN_COMMAND(probing_main, "--json");
	list = json_tokener_parse(shown);
	CHECK(json_object_is_type(list, json_type_array));
	for (size_t i = 0; i < json_object_array_length(list); i++)
		for (size_t j = 0; j < 5; j++)
			CHECK(json_object_is_type(json_object_object_get(json_object_array_get_idx(list, i), keys[j]), json_type_string));
	CHECK(strcmp(text_of(row_of(list, "bwrap"), "result"), "ok") == 0);
	CHECK(strcmp(text_of(row_of(list, "env"), "result"), "ok") == 0);
	row_of(list, "cgroup2");
	/* The status is the grade of the real run. */
	CHECK(status >= 0 && status <= 2);
	CHECK(strcmp(text_of(row_of(list, "real-run"), "result"), results[status]) == 0);
	CHECK(status == 2 || strstr(text_of(row_of(list, "real-run"), "said"), status == 0 ? "grade=full" : "grade=partial"));
	json_object_put(list);
	CHECK(system("test -z \"$(ls -A /opt)\"") == 0);
}

static void each_facet_is_told_the_status_is_the_real_runs_and_nothing_is_left(void **state)
{
	(void)state;
	system_run(check_rows);
}

static void check_tool(void)
{
	open_host();
	system_write("/mnt/setsid", "#!/bin/sh\n", 0777);
	if (mount("/mnt/setsid", "/usr/bin/setsid", NULL, MS_BIND, NULL))
		_exit(NO_SYSTEM);
	CHECK(RUN_COMMAND(probing_main, "nobody") <= 2);
	CHECK(is_shown("missing  setsid "));
	CHECK(is_shown("mend: chown root:root /usr/bin/setsid; chmod 755 /usr/bin/setsid\n"));
	CHECK(is_shown("ok       env "));
}

static void a_tool_that_others_can_write_is_missing_with_its_cure(void **state)
{
	(void)state;
	system_run(check_tool);
}

/* Each cause of a run without a network has its own sentence and its own cure. */
static void check_network(void)
{
	struct probing_row row;
	struct profile profile;
	struct err err;
	const struct {
		const char *said, *why, *mend;
	} rows[] = {
		{ "/usr/bin/env failed: Operation not supported", "Operation not supported", "modprobe -a nf_tables" },
		{ "slirp4netns: unrecognized option '--netns-type=path': the network's helper ended", "unrecognized", "too old" },
	};

	open_host();
	CHECK(profile_init(&profile, &err) == 0);
	free(profile.tool_slirp4netns);
	free(profile.tool_nft);
	profile.tool_slirp4netns = strdup("/mnt/slirp4netns");
	profile.tool_nft = strdup("/mnt/nft");
	CHECK(probing_explain_network(&profile, "", row.said, sizeof(row.said), row.mend, sizeof(row.mend)));
	CHECK(strstr(row.said, "/mnt/slirp4netns") && strcmp(row.mend, "apt install slirp4netns") == 0);
	system_write("/mnt/slirp4netns", "#!/bin/sh\n", 0777);
	CHECK(probing_explain_network(&profile, "", row.said, sizeof(row.said), row.mend, sizeof(row.mend)));
	CHECK(strcmp(row.mend, "chown root:root /mnt/slirp4netns; chmod 755 /mnt/slirp4netns") == 0);
	free(profile.tool_slirp4netns);
	profile.tool_slirp4netns = strdup("/usr/bin/env");
	CHECK(probing_explain_network(&profile, "", row.said, sizeof(row.said), row.mend, sizeof(row.mend)));
	CHECK(strstr(row.said, "/mnt/nft") && strcmp(row.mend, "apt install nftables") == 0);
	free(profile.tool_nft);
	profile.tool_nft = strdup("/usr/bin/env");
	CHECK(probing_explain_network(&profile, "", row.said, sizeof(row.said), row.mend, sizeof(row.mend)));
	CHECK(strcmp(row.said, "/dev/net/tun: No such file or directory") == 0 && strstr(row.mend, "modprobe tun"));
	CHECK(mkdir("/dev/net", 0755) == 0);
	system_write("/dev/net/tun", "", 0600);
	CHECK(probing_explain_network(&profile, "", row.said, sizeof(row.said), row.mend, sizeof(row.mend)));
	CHECK(strcmp(row.mend, "chmod 0666 /dev/net/tun") == 0);
	CHECK(chmod("/dev/net/tun", 0666) == 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK(probing_explain_network(&profile, rows[i].said, row.said, sizeof(row.said), row.mend, sizeof(row.mend)));
		CHECK(strstr(row.said, rows[i].why) && strstr(row.mend, rows[i].mend));
	}
	CHECK(!probing_explain_network(&profile, "something else", row.said, sizeof(row.said), row.mend, sizeof(row.mend)));
	CHECK(strcmp(row.said, "something else") == 0);
	profile_release(&profile);
}

static void each_cause_of_no_network_has_its_cure(void **state)
{
	(void)state;
	system_run(check_network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_usage_unknown_users_and_root_are_2),
		cmocka_unit_test(only_root_probes),
		cmocka_unit_test(each_facet_is_told_the_status_is_the_real_runs_and_nothing_is_left),
		cmocka_unit_test(a_tool_that_others_can_write_is_missing_with_its_cure),
		cmocka_unit_test(each_cause_of_no_network_has_its_cure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

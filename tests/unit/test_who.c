/* SPDX-License-Identifier: ISC */
/* The list of runs and the end of one, with places of runs on a system of the test's own. Root only. Usage of a cgroup: test_scope. */
#include "who.h"

#include <json-c/json.h>

#include "private_command.h"
#include "private_runs.h"

#define NOTE(session, actor, command) \
	"session=" session " user=nobody actor=" actor " grade=partial\nconn=-\npid=PID start=START\nfrom=192.0.2.7\nkind=exec\nscope=-\nsince=1764425616\ncmd=" command "\n"

static void check_usage(void)
{
	runs_host();
	CHECK(RUN_COMMAND(who_main, "--nonsense") == 2);
	CHECK(RUN_COMMAND(who_main, "nobody") == 2);
	CHECK(RUN_COMMAND(who_main, "--json", "--json") == 2);
	CHECK(strstr(complained, "usage: ") && !shown[0]);
	CHECK(command_run(kill_main, (const char *const[]){ NULL }) == 2);
	CHECK(RUN_COMMAND(kill_main, "one", "two") == 2);
	CHECK(RUN_COMMAND(kill_main, "one", "--actor", "alice") == 2);
	CHECK(RUN_COMMAND(kill_main, "--actor") == 2);
	CHECK(RUN_COMMAND(kill_main, "--user", "nobody") == 2);
	CHECK(RUN_COMMAND(kill_main, "--nonsense") == 2);
	CHECK(strstr(complained, "usage: ") && !shown[0]);
}

static void wrong_usage_is_2(void **state)
{
	(void)state;
	system_run(check_usage);
}

static void check_list(void)
{
	pid_t pid;

	runs_host();
	CHECK(command_run(who_main, (const char *const[]){ NULL }) == 0);
	CHECK(is_shown("SESSION") && !strchr(strchr(shown, '\n') + 1, '\n'));
	pid = runs_start("k3v9q2m7.alice", SYSTEM_USER, NOTE("k3v9q2m7", "alice", "make \x1b[2J\x07 \xff"));
	CHECK(command_run(who_main, (const char *const[]){ NULL }) == 0);
	CHECK(is_shown("\nk3v9q2m7  nobody       alice      192.0.2.7 "));
	CHECK(is_shown(" exec  "));
	CHECK(is_shown(" make \\x1b[2J\\x07 \\xff\n"));
	for (const char *at = shown; *at; at++)
		CHECK(*at == '\n' || ((unsigned char)*at >= ' ' && (unsigned char)*at < 0x7f));
	runs_end(pid);
	CHECK(command_run(who_main, (const char *const[]){ NULL }) == 0);
	CHECK(!strstr(shown, "k3v9q2m7"));
}

static void a_run_is_listed_without_a_control_byte_while_it_lives(void **state)
{
	(void)state;
	system_run(check_list);
}

static const char *text_of(struct json_object *object, const char *key)
{
	return json_object_get_string(json_object_object_get(object, key));
}

static void check_json(void)
{
	struct json_object *list, *object;
	pid_t pid;

	runs_host();
	CHECK(RUN_COMMAND(who_main, "--json") == 0);
	list = json_tokener_parse(shown);
	CHECK(json_object_is_type(list, json_type_array) && json_object_array_length(list) == 0);
	json_object_put(list);
	pid = runs_start("k3v9q2m7.alice", SYSTEM_USER, NOTE("k3v9q2m7", "alice", "echo \"a\", \x1b"));
	CHECK(RUN_COMMAND(who_main, "--json") == 0);
	list = json_tokener_parse(shown);
	CHECK(json_object_is_type(list, json_type_array) && json_object_array_length(list) == 1);
	object = json_object_array_get_idx(list, 0);
	CHECK(strcmp(text_of(object, "session"), "k3v9q2m7") == 0);
	CHECK(strcmp(text_of(object, "actor"), "alice") == 0);
	CHECK(strcmp(text_of(object, "command"), "echo \"a\", \\x1b") == 0);
	CHECK(json_object_get_int(json_object_object_get(object, "pid")) == pid);
	CHECK(json_object_get_int64(json_object_object_get(object, "since")) == 1764425616);
	CHECK(json_object_object_get(object, "memory") == NULL);
	json_object_put(list);
	runs_end(pid);
}

static void json_is_a_list_of_objects_also_of_none(void **state)
{
	(void)state;
	system_run(check_json);
}

static bool is_alive(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) == 0;
}

static void check_kill(void)
{
	pid_t alice, bob;

	runs_host();
	alice = runs_start("aaaaaaaa.alice", SYSTEM_USER, NOTE("aaaaaaaa", "alice", "make"));
	bob = runs_start("bbbbbbbb.bob", SYSTEM_USER, NOTE("bbbbbbbb", "bob", "make"));
	CHECK(RUN_COMMAND(kill_main, "cccccccc") == 1);
	CHECK(RUN_COMMAND(kill_main, "aaaa") == 1);
	CHECK(RUN_COMMAND(kill_main, "--actor", "carol") == 1);
	CHECK(RUN_COMMAND(kill_main, "--actor", "alice", "--user", "build") == 1);
	CHECK(strstr(complained, "nothing of that name runs"));
	usleep(50000);
	CHECK(is_alive(alice) && is_alive(bob));
	CHECK(RUN_COMMAND(kill_main, "aaaaaaaa") == 0);
	CHECK(is_shown("session aaaaaaaa of nobody (alice) is told to end\n"));
	CHECK(temp_wait(alice) == 128 + SIGTERM);
	CHECK(is_alive(bob));
	CHECK(RUN_COMMAND(kill_main, "--actor", "bob", "--user", "nobody") == 0);
	CHECK(temp_wait(bob) == 128 + SIGTERM);
}

static void just_the_runs_that_are_meant_are_told_to_end(void **state)
{
	(void)state;
	system_run(check_kill);
}

static void check_forged(void)
{
	char note[256];
	pid_t victim, holder;

	runs_host();
	victim = runs_start("roots.-", 0, "session=roots\n");
	snprintf(note, sizeof(note), "session=forged user=nobody actor=-\npid=%d start=%llu\n", victim, runs_start_of(victim));
	holder = runs_start("forged.-", SYSTEM_USER, note);
	CHECK(RUN_COMMAND(kill_main, "forged") == 1);
	CHECK(!shown[0] && strstr(complained, "session forged"));
	usleep(50000);
	CHECK(is_alive(victim));
	runs_end(victim);
	runs_end(holder);
}

static void no_process_of_another_user_is_ended_by_a_forged_note(void **state)
{
	(void)state;
	system_run(check_forged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_usage_is_2),
		cmocka_unit_test(a_run_is_listed_without_a_control_byte_while_it_lives),
		cmocka_unit_test(json_is_a_list_of_objects_also_of_none),
		cmocka_unit_test(just_the_runs_that_are_meant_are_told_to_end),
		cmocka_unit_test(no_process_of_another_user_is_ended_by_a_forged_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: ISC */
#include "request.h"

#include <errno.h>

#include "fixture.h"

#define FORCED "exec " STOCKADE_GATEWAY

static struct request parse(const char *const *argv, const char *original, int expected)
{
	struct request_input input = { .argv = (char *const *)argv, .original_command = original };
	struct request request;
	struct err err = { "" };

	while (argv[input.argc])
		input.argc++;
	if (request_parse(&request, &input, &err) != expected)
		fail_msg("%s", err.text);
	return request;
}

#define ARGV(...) ((const char *const[]){ "stockade-gateway", __VA_ARGS__, NULL })
#define NO_ARGV ((const char *const[]){ "stockade-gateway", NULL })

static void the_forced_line_alone_is_not_the_clients_text(void **state)
{
	struct request request = parse(ARGV("-c", FORCED), "make -j8", 0);

	(void)state;
	assert_int_equal(request.form, FORM_FORCED);
	assert_int_equal(request.kind, REQUEST_EXEC);
	assert_string_equal(request.text, "make -j8");
	assert_null(request.as);
	request = parse(ARGV("-c", FORCED), NULL, 0);
	assert_int_equal(request.kind, REQUEST_SHELL);
	assert_null(request.text);
}

static void a_client_who_types_the_forced_line_gets_it_run_as_a_command(void **state)
{
	struct request request = parse(ARGV("-c", FORCED), FORCED, 0);

	(void)state;
	assert_int_equal(request.kind, REQUEST_EXEC);
	assert_string_equal(request.text, FORCED);
}

static void text_that_is_almost_the_forced_line_is_the_clients(void **state)
{
	static const char *const texts[] = { FORCED " ", " " FORCED, FORCED " --as root", "exec  " STOCKADE_GATEWAY, STOCKADE_GATEWAY, FORCED "\n", "exec" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct request request = parse(ARGV("-c", texts[i]), "other", 0);

		assert_int_equal(request.form, FORM_LOGIN_SHELL);
		assert_string_equal(request.text, texts[i]);
		assert_null(request.as);
	}
}

static void the_clients_text_is_never_parsed_for_options(void **state)
{
	static const char *const texts[] = { "--as alice", "--hook open", "-c ls", "--as", "--help", "" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct request request = parse(ARGV("-c", texts[i]), NULL, 0);

		assert_null(request.as);
		assert_null(request.hook);
		assert_int_equal(request.kind, texts[i][0] ? REQUEST_EXEC : REQUEST_SHELL);
		request = parse(NO_ARGV, texts[i], 0);
		assert_null(request.as);
		assert_null(request.hook);
		request = parse(ARGV("-c", FORCED), texts[i], 0);
		assert_null(request.as);
	}
}

static void no_arguments_are_a_forced_command_or_a_login(void **state)
{
	struct request request = parse(NO_ARGV, "make", 0);

	(void)state;
	assert_int_equal(request.form, FORM_FORCED);
	assert_string_equal(request.text, "make");
	request = parse(NO_ARGV, NULL, 0);
	assert_int_equal(request.form, FORM_LOGIN_SHELL);
	assert_int_equal(request.kind, REQUEST_SHELL);
	/* login(1) and su(1) name a login shell so. */
	request = parse((const char *const[]){ "-stockade-gateway", NULL }, NULL, 0);
	assert_int_equal(request.kind, REQUEST_SHELL);
	request = parse(NO_ARGV, "", 0);
	assert_int_equal(request.kind, REQUEST_SHELL);
	assert_null(request.text);
}

static void as_counts_in_the_process_arguments_and_must_be_a_name(void **state)
{
	struct request request = parse(ARGV("--as", "alice"), "make", 0);

	(void)state;
	assert_int_equal(request.form, FORM_KEY);
	assert_string_equal(request.as, "alice");
	assert_string_equal(request.text, "make");
	parse(ARGV("--as", "../x"), "make", -EINVAL);
	parse(ARGV("--as", ""), "make", -EINVAL);
	parse(ARGV("--as", "a b"), "make", -EINVAL);
	parse(ARGV("--as", ".x"), "make", -EINVAL);
}

static void arguments_of_no_form_are_refused(void **state)
{
	(void)state;
	parse(ARGV("-c"), "make", -EINVAL);
	parse(ARGV("-c", "a", "b"), "make", -EINVAL);
	parse(ARGV("--as"), "make", -EINVAL);
	parse(ARGV("--as", "alice", "-c", "x"), "make", -EINVAL);
	parse(ARGV("--as=alice"), "make", -EINVAL);
	parse(ARGV("-l"), "make", -EINVAL);
	parse(ARGV("make"), "make", -EINVAL);
	parse(ARGV("--hook", "run"), NULL, -EINVAL);
	parse(ARGV("--hook"), NULL, -EINVAL);
}

static void the_hook_runs_nothing_of_the_clients(void **state)
{
	struct request request = parse(ARGV("--hook", "open"), "make", 0);

	(void)state;
	assert_int_equal(request.kind, REQUEST_HOOK);
	assert_string_equal(request.hook, "open");
	assert_null(request.text);
	request = parse(ARGV("--hook", "close"), "make", 0);
	assert_string_equal(request.hook, "close");
}

static void sftp_is_known_by_what_sshd_hands_over(void **state)
{
	static const struct {
		const char *text;
		enum request_kind kind;
	} samples[] = {
		{ "internal-sftp", REQUEST_SFTP },
		{ "internal-sftp -l INFO", REQUEST_SFTP },
		{ "/usr/lib/openssh/sftp-server", REQUEST_SFTP },
		{ "/usr/lib/openssh/sftp-server -e", REQUEST_SFTP },
		{ "internal-sftpx", REQUEST_EXEC },
		{ "internal-sft", REQUEST_EXEC },
		{ "sftp-server", REQUEST_EXEC },
		{ "/sftp-server", REQUEST_EXEC },
		{ "/usr/lib/openssh/sftp-server; id", REQUEST_EXEC },
		{ "/usr/lib/openssh/sftp-server -e $(id)", REQUEST_EXEC },
		{ "/usr/lib/openssh/sftp-server\nid", REQUEST_EXEC },
		{ "echo /usr/lib/openssh/sftp-server", REQUEST_EXEC },
		{ "/usr/lib/openssh/sftp-serverx", REQUEST_EXEC },
		{ " internal-sftp", REQUEST_EXEC },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++)
		if (parse(NO_ARGV, samples[i].text, 0).kind != samples[i].kind)
			fail_msg("%s", samples[i].text);
}

static void from_takes_addresses_only(void **state)
{
	static const struct {
		const char *connection, *from;
	} samples[] = {
		{ "192.0.2.7 52214 198.51.100.1 22", "192.0.2.7:52214" },
		{ "fe80::1%eth0 22 ::1 22", "-" }, /* letters of a zone's name beyond f */
		{ "2001:db8::1 65535 ::1 22", "2001:db8::1:65535" },
		{ "fe80::1%2 22 ::1 22", "fe80::1%2:22" },
		{ "UNKNOWN 65535 UNKNOWN 65535", "-" },
		{ "192.0.2.7", "-" },
		{ "192.0.2.7 ", "-" },
		{ "192.0.2.7 123456 x", "-" },
		{ " 1 2", "-" },
		{ "", "-" },
		{ "192.0.2.7\n1 2", "-" },
		{ "1.1.1.1 5\" user=root", "1.1.1.1:5" },
		{ NULL, "-" },
	};
	struct err err = { "" };

	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++) {
		const struct request_input input = { .argc = 1, .argv = (char *const *)NO_ARGV, .connection = samples[i].connection };
		struct request request;

		assert_int_equal(request_parse(&request, &input, &err), 0);
		if (strcmp(request.from, samples[i].from) != 0)
			fail_msg("%s became %s", samples[i].connection, request.from);
	}
}

static void term_counts_only_with_a_terminal(void **state)
{
	struct request_input input = { .argc = 1, .argv = (char *const *)NO_ARGV, .term = "xterm" };
	struct request request;
	struct err err = { "" };

	(void)state;
	assert_int_equal(request_parse(&request, &input, &err), 0);
	assert_null(request.term);
	assert_false(request.has_terminal);
	input.has_terminal = true;
	assert_int_equal(request_parse(&request, &input, &err), 0);
	assert_string_equal(request.term, "xterm");
}

static void every_kind_has_a_name_of_its_own(void **state)
{
	(void)state;
	assert_string_equal(request_kind_name(REQUEST_EXEC), "exec");
	assert_string_equal(request_kind_name(REQUEST_SHELL), "shell");
	assert_string_equal(request_kind_name(REQUEST_SFTP), "sftp");
	assert_string_equal(request_kind_name(REQUEST_MENU), "menu");
	assert_string_equal(request_kind_name(REQUEST_HOOK), "hook");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_forced_line_alone_is_not_the_clients_text),
		cmocka_unit_test(a_client_who_types_the_forced_line_gets_it_run_as_a_command),
		cmocka_unit_test(text_that_is_almost_the_forced_line_is_the_clients),
		cmocka_unit_test(the_clients_text_is_never_parsed_for_options),
		cmocka_unit_test(no_arguments_are_a_forced_command_or_a_login),
		cmocka_unit_test(as_counts_in_the_process_arguments_and_must_be_a_name),
		cmocka_unit_test(arguments_of_no_form_are_refused),
		cmocka_unit_test(the_hook_runs_nothing_of_the_clients),
		cmocka_unit_test(sftp_is_known_by_what_sshd_hands_over),
		cmocka_unit_test(from_takes_addresses_only),
		cmocka_unit_test(term_counts_only_with_a_terminal),
		cmocka_unit_test(every_kind_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

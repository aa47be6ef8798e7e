/* SPDX-License-Identifier: ISC */
#include "words.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* expected: the words, each followed by "|". */
static void assert_splits(const char *text, enum words_mode mode, const char *expected)
{
	_cleanup_strv_ struct strv words = STRV_INIT;
	char shown[512] = "";
	struct err err;

	assert_int_equal(words_split(text, mode, &words, &err), 0);
	for (size_t i = 0; i < words.len; i++) {
		strcat(shown, words.items[i]);
		strcat(shown, "|");
	}
	assert_string_equal(shown, expected);
}

static void assert_refuses(const char *text, enum words_mode mode, const char *sentence)
{
	_cleanup_strv_ struct strv words = STRV_INIT;
	struct err err;

	assert_int_equal(words_split(text, mode, &words, &err), -EINVAL);
	assert_string_equal(err.text, sentence);
}

static void splits_at_blanks(void **state)
{
	(void)state;
	for (int mode = WORDS_LIST; mode <= WORDS_COMMAND; mode++) {
		assert_splits("", (enum words_mode)mode, "");
		assert_splits(" \t ", (enum words_mode)mode, "");
		assert_splits("make", (enum words_mode)mode, "make|");
		assert_splits("  make \t -j8  all ", (enum words_mode)mode, "make|-j8|all|");
		assert_splits("a\xc3\xa4\xff b", (enum words_mode)mode, "a\xc3\xa4\xff|b|");
	}
}

static void quotes_follow_the_posix_rules(void **state)
{
	static const char *const cases[][2] = {
		{ "'a b' c", "a b|c|" },
		{ "\"a b\"c", "a bc|" },
		{ "a\\ b", "a b|" },
		{ "''", "|" },
		{ "\"\" x ''", "|x||" },
		{ "a''b", "ab|" },
		{ "'a\\b'", "a\\b|" },
		{ "'it'\\''s'", "it's|" },
		{ "\"a\\\"b\\\\c\\$d\\`e\"", "a\"b\\c$d`e|" },
		{ "\"a\\nb\\ \"", "a\\nb\\ |" },
		{ "\\a\\\\\\'\\\"", "a\\'\"|" },
		{ "'\"' \"'\"", "\"|'|" },
		{ "*.c ~ ~root {a,b} [x] ? ! # a=b", "*.c|~|~root|{a,b}|[x]|?|!|#|a=b|" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_splits(cases[i][0], WORDS_LIST, cases[i][1]);
		assert_splits(cases[i][0], WORDS_COMMAND, cases[i][1]);
	}
}

static void list_takes_operators_and_newlines_as_plain_text(void **state)
{
	(void)state;
	assert_splits("a;b $HOME `x` (y) <z> & |", WORDS_LIST, "a;b|$HOME|`x`|(y)|<z>|&|||");
	assert_splits("\"$HOME `x`\"", WORDS_LIST, "$HOME `x`|");
	assert_splits("a\nb", WORDS_LIST, "a|b|");
	assert_splits("a\\\nb \\\n c\\\n", WORDS_LIST, "ab|c|");
	assert_splits("\"a\\\nb\" 'a\\\nb'", WORDS_LIST, "ab|a\\\nb|");
}

static void command_refuses_each_unquoted_operator_by_name(void **state)
{
	(void)state;
	for (const char *c = ";&|<>()$`"; *c; c++) {
		char text[8], sentence[32];

		snprintf(sentence, sizeof(sentence), "unquoted \"%c\"", *c);
		snprintf(text, sizeof(text), "a %c", *c);
		assert_refuses(text, WORDS_COMMAND, sentence);
		snprintf(text, sizeof(text), "a%cb", *c);
		assert_refuses(text, WORDS_COMMAND, sentence);
		snprintf(text, sizeof(text), "''%c''", *c);
		assert_refuses(text, WORDS_COMMAND, sentence);
		snprintf(text, sizeof(text), "a\\%c", *c);
		snprintf(sentence, sizeof(sentence), "a%c|", *c);
		assert_splits(text, WORDS_COMMAND, sentence);
		snprintf(text, sizeof(text), "'a%c'", *c);
		assert_splits(text, WORDS_COMMAND, sentence);
	}
	assert_refuses("a\nb", WORDS_COMMAND, "unquoted newline");
	assert_refuses("a\n", WORDS_COMMAND, "unquoted newline");
}

static void command_refuses_expansion_inside_double_quotes(void **state)
{
	(void)state;
	assert_refuses("\"$x\"", WORDS_COMMAND, "\"$\" inside double quotes");
	assert_refuses("\"`x`\"", WORDS_COMMAND, "\"`\" inside double quotes");
	assert_splits("\";&|<>()\"", WORDS_COMMAND, ";&|<>()|");
}

static void command_refuses_control_bytes_wherever_they_stand(void **state)
{
	(void)state;
	for (int c = 1; c < 0x80; c = c == 0x1f ? 0x7f : c + 1) {
		static const char *const forms[][2] = { { "a", "b" }, { "'a", "b'" }, { "\"a", "b\"" }, { "a\\", "b" }, { "\"a\\", "b\"" } };

		for (size_t i = 0; i < COUNT(forms); i++) {
			_cleanup_strv_ struct strv words = STRV_INIT;
			struct err err;
			char text[16];

			if (c == '\t' && i == 0)
				continue;
			snprintf(text, sizeof(text), "%s%c%s", forms[i][0], c, forms[i][1]);
			assert_int_equal(words_split(text, WORDS_COMMAND, &words, &err), -EINVAL);
			for (const char *at = err.text; *at; at++)
				assert_true(*at >= 0x20 && *at < 0x7f);
		}
	}
	assert_refuses("'\x1b'", WORDS_COMMAND, "control byte \"\\x1b\" in the command");
	assert_refuses("'a\nb'", WORDS_COMMAND, "newline in the command");
}

static void open_quotes_are_refused_by_name(void **state)
{
	(void)state;
	for (int mode = WORDS_LIST; mode <= WORDS_COMMAND; mode++) {
		assert_refuses("a 'b", (enum words_mode)mode, "no closing single quote");
		assert_refuses("a \"b", (enum words_mode)mode, "no closing double quote");
		assert_refuses("\"b\\\"", (enum words_mode)mode, "no closing double quote");
		assert_refuses("\"b\\", (enum words_mode)mode, "no closing double quote");
		assert_refuses("a\\", (enum words_mode)mode, "nothing after the last backslash");
	}
}

static void more_words_than_the_limit_are_refused(void **state)
{
	_cleanup_strv_ struct strv words = STRV_INIT, few = STRV_INIT;
	char *text = malloc(2 * (WORDS_MAX + 1) + 1);
	struct err err;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i <= WORDS_MAX; i++)
		memcpy(text + 2 * i, "a ", 3);
	assert_int_equal(words_split(text, WORDS_COMMAND, &words, &err), -E2BIG);
	assert_int_equal(words_split(text + 2, WORDS_COMMAND, &few, &err), 0);
	assert_int_equal(few.len, WORDS_MAX);
	free(text);
}

static void assert_quotes(const char *word, const char *expected)
{
	char *quoted = words_quote(word);

	assert_string_equal(quoted, expected);
	free(quoted);
}

static void quote_leaves_plain_words_as_they_are(void **state)
{
	(void)state;
	assert_quotes("make", "make");
	assert_quotes("/usr/bin/gcc-12", "/usr/bin/gcc-12");
	assert_quotes("--prefix=/usr", "--prefix=/usr");
	assert_quotes("user@host:dir,x", "user@host:dir,x");
	assert_quotes("", "''");
	assert_quotes("a b", "'a b'");
	assert_quotes("it's", "'it'\\''s'");
	assert_quotes("CC=gcc", "'CC=gcc'");
	assert_quotes("~", "'~'");
	assert_quotes("#x", "'#x'");
	assert_quotes("if", "'if'");
	assert_quotes("\xc3\xa4", "'\xc3\xa4'");
}

static void join_puts_one_blank_between_words(void **state)
{
	static const char *const none[] = { NULL };
	static const char *const some[] = { "sh", "-c", "echo $x", "", NULL };
	char *text = words_join(none);

	(void)state;
	assert_string_equal(text, "");
	free(text);
	text = words_join(some);
	assert_string_equal(text, "sh -c 'echo $x' ''");
	free(text);
}

static void random_word(char *word, size_t size, bool has_controls)
{
	static const char odd[] = "'\"\\ $`;&|<>()*?[]{}~#!=\xc3\xa4\xff";
	size_t len = (size_t)random() % size;

	for (size_t i = 0; i < len; i++) {
		do
			word[i] = random() % 2 ? odd[(size_t)random() % (sizeof(odd) - 1)] : (char)random();
		while (!word[i] || (!has_controls && ((unsigned char)word[i] < 0x20 || word[i] == 0x7f)));
	}
	word[len] = '\0';
}

static void split_undoes_quote_for_random_words(void **state)
{
	unsigned seed = (unsigned)time(NULL);

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (int round = 0; round < 50000; round++) {
		_cleanup_strv_ struct strv words = STRV_INIT;
		struct err err;
		char word[24], *quoted;

		random_word(word, sizeof(word), true);
		quoted = words_quote(word);
		assert_non_null(quoted);
		assert_int_equal(words_split(quoted, WORDS_LIST, &words, &err), 0);
		assert_int_equal(words.len, 1);
		assert_string_equal(words.items[0], word);
		free(quoted);
	}
}

static void command_split_undoes_join_for_words_without_controls(void **state)
{
	unsigned seed = (unsigned)time(NULL);

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (int round = 0; round < 20000; round++) {
		_cleanup_strv_ struct strv words = STRV_INIT;
		char word[5][16], *text;
		const char *list[6] = { NULL };
		size_t count = (size_t)random() % 6;
		struct err err;

		for (size_t i = 0; i < count; i++) {
			random_word(word[i], sizeof(word[i]), false);
			list[i] = word[i];
		}
		text = words_join(list);
		assert_non_null(text);
		assert_int_equal(words_split(text, WORDS_COMMAND, &words, &err), 0);
		assert_int_equal(words.len, count);
		for (size_t i = 0; i < count; i++)
			assert_string_equal(words.items[i], list[i]);
		free(text);
	}
}

static size_t shell_reads(const char *text, char *out, size_t size)
{
	size_t len = 0;
	int fds[2], status;
	ssize_t got;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		execl("/bin/sh", "sh", "-c", text, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	while ((got = read(fds[0], out + len, size - len)) > 0)
		len += (size_t)got;
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return len;
}

/* The shell is the judge: printf '%s\0' of the joined words must give the words. */
static void the_shell_reads_joined_words_back(void **state)
{
	unsigned seed = (unsigned)time(NULL);

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (int round = 0; round < 50; round++) {
		char word[40][16], out[40 * 17], *text;
		const char *list[43] = { "printf", "%s\\0" };
		size_t at = 0, len;

		for (size_t i = 0; i < 40; i++) {
			random_word(word[i], sizeof(word[i]), true);
			list[i + 2] = word[i];
		}
		text = words_join(list);
		assert_non_null(text);
		len = shell_reads(text, out, sizeof(out));
		for (size_t i = 0; i < 40; i++) {
			assert_true(at < len);
			assert_string_equal(out + at, word[i]);
			at += strlen(word[i]) + 1;
		}
		assert_int_equal(at, len);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_at_blanks),
		cmocka_unit_test(quotes_follow_the_posix_rules),
		cmocka_unit_test(list_takes_operators_and_newlines_as_plain_text),
		cmocka_unit_test(command_refuses_each_unquoted_operator_by_name),
		cmocka_unit_test(command_refuses_expansion_inside_double_quotes),
		cmocka_unit_test(command_refuses_control_bytes_wherever_they_stand),
		cmocka_unit_test(open_quotes_are_refused_by_name),
		cmocka_unit_test(more_words_than_the_limit_are_refused),
		cmocka_unit_test(quote_leaves_plain_words_as_they_are),
		cmocka_unit_test(join_puts_one_blank_between_words),
		cmocka_unit_test(split_undoes_quote_for_random_words),
		cmocka_unit_test(command_split_undoes_join_for_words_without_controls),
		cmocka_unit_test(the_shell_reads_joined_words_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

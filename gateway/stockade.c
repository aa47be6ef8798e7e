/* SPDX-License-Identifier: ISC */
/* The admin's tool, stockade(8): a table of subcommands. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "enroll.h"
#include "explain.h"
#include "last.h"
#include "probing.h"
#include "switch.h"
#include "who.h"

struct subcommand {
	const char *name;
	int (*run)(int argc, char *argv[]);
	const char *help;
};

static const struct subcommand subcommands[] = {
	{ "check", check_main, "name every known way around the gateway on this host, with its cure" },
	{ "explain", explain_main, "show what would be done with a command, and why" },
	{ "probe", probing_main, "show how much of the fence this host can give" },
	{ "enroll", enroll_main, "make an account a confined one" },
	{ "unenroll", unenroll_main, "undo enroll; the account and its files stay" },
	{ "disable", disable_main, "refuse an account or an actor from the next request on" },
	{ "enable", enable_main, "undo disable" },
	{ "who", who_main, "list the commands that run now" },
	{ "last", last_main, "list what ran, from the journal" },
	{ "kill", kill_main, "end a running command, or all of an actor's" },
};

int main(int argc, char *argv[])
{
	size_t count = sizeof(subcommands) / sizeof(subcommands[0]);

	for (size_t i = 0; argc > 1 && i < count; i++)
		if (strcmp(argv[1], subcommands[i].name) == 0)
			return subcommands[i].run(argc - 1, argv + 1);
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		puts("stockade " STOCKADE_VERSION);
		return 0;
	}
	fprintf(stderr, "usage: stockade COMMAND ..., stockade --version\n");
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "  %-10s %s\n", subcommands[i].name, subcommands[i].help);
	return 2;
}

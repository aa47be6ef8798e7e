/* SPDX-License-Identifier: ISC */
/* A client's command against an account with rules: what runs has the rule's program as its first word, and no shell. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char ini[] = "[workspace]\npath = /srv/w\n[allow]\nmake = make ...\ngit = git-upload-pack *\n[deny]\nevil = make *--eval* ...\n[menu]\ndeploy = echo hi\n";

static struct profile profile;

static void load(void)
{
	struct ini_rows rows = INI_ROWS_INIT;
	struct err err;

	if (profile_init(&profile, &err) || ini_parse("x", ini, strlen(ini), &rows, &err) || profile_apply(&profile, &rows, LAYER_ACCOUNT, &err) ||
		profile_finish(&profile, "x", &err))
		abort();
	ini_rows_release(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct request request = { .kind = REQUEST_EXEC };
	struct verdict verdict;
	struct err err;
	char *text = malloc(size + 1);

	if (!profile.workspace)
		load();
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	request.text = text;
	if (rules_decide(&verdict, &profile, &request, &err) == 0 && verdict.is_allowed && verdict.kind == REQUEST_EXEC) {
		if (strcmp(verdict.argv.items[0], "make") != 0 && strcmp(verdict.argv.items[0], "git-upload-pack") != 0)
			abort();
		for (size_t i = 0; i < verdict.argv.len; i++)
			for (const char *at = verdict.argv.items[i]; *at; at++)
				if ((unsigned char)*at < ' ' || *at == 0x7f)
					abort();
		if (verdict.argv.len > 1 && strstr(verdict.argv.items[1], "--eval") && strcmp(verdict.argv.items[0], "make") == 0)
			abort();
	}
	verdict_release(&verdict);
	free(text);
	return 0;
}

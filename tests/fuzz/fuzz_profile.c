/* SPDX-License-Identifier: ISC */
/* A profile's text, through the pre-scan, iniparser, the comparison of both, and the keyword table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ini_rows rows = INI_ROWS_INIT;
	struct profile profile;
	struct err err = { "" };
	int r = ini_parse("fuzz.ini", (const char *)data, size, &rows, &err);

	/* A refusal says where. */
	if (r == -EINVAL && strncmp(err.text, "fuzz.ini", 8) != 0)
		abort();
	for (size_t i = 0; r == 0 && i < rows.len; i++)
		for (const char *at = rows.items[i].value; *at; at++)
			if ((unsigned char)*at < ' ' && *at != '\t')
				abort();
	if (profile_init(&profile, &err) == 0 && r == 0) {
		r = profile_apply(&profile, &rows, LAYER_ACCOUNT, &err);
		if (r == 0)
			profile_finish(&profile, "fuzz.ini", &err);
	}
	profile_release(&profile);
	ini_rows_release(&rows);
	return 0;
}

/* SPDX-License-Identifier: ISC */
/* A line of the journal as anybody may have caused it: nothing without the gateway's own program is believed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"
#include "sftplog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct journal_entry entry;
	struct sftplog_line line;
	char *text = malloc(size + 1), word[64];

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (journal_parse(&entry, text)) {
		if (journal_is_believed(&entry, 1000, "/usr/bin/stockade-gateway") &&
			(strcmp(entry.exe, "/usr/bin/stockade-gateway") != 0 || (entry.uid != 0 && entry.uid != 1000)))
			abort();
		journal_word(entry.message, "user", word, sizeof(word));
	}
	sftplog_is_chatter(text);
	if (sftplog_parse(&line, text) && strlen(line.path) >= sizeof(line.path))
		abort();
	free(text);
	return 0;
}

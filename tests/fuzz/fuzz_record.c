/* SPDX-License-Identifier: ISC */
/* Untrusted text in a record: one line, no control byte, at most RECORD_MAX bytes; read back, no word is another's. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"
#include "record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record record;
	char *text = malloc(size + 1), word[256];

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	record_begin(&record, "start");
	record_add(&record, "session", "abcdefgh");
	record_add(&record, "actor", text);
	record_add(&record, "user", "build");
	record_add_command(&record, text, record_cuts(&record, text) ? "00" : NULL);
	if (record.len > RECORD_MAX || strlen(record.text) != record.len)
		abort();
	for (size_t i = 0; i < record.len; i++)
		if ((unsigned char)record.text[i] < ' ' || record.text[i] == 0x7f)
			abort();
	if (!journal_word(record.text, "session", word, sizeof(word)) || strcmp(word, "abcdefgh") != 0)
		abort();
	if (size < 300 && (!journal_word(record.text, "user", word, sizeof(word)) || strcmp(word, "build") != 0))
		abort();
	free(text);
	return 0;
}

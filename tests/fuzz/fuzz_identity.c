/* SPDX-License-Identifier: ISC */
/* What sshd tells of the key: any bytes, and any blob inside base64; no fingerprint but of the right form comes out. */
#include <resolv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "identity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text)
{
	struct identity identity;
	struct err err;

	if (identity_parse(&identity, text, &err) == 0) {
		if (identity.key[0] && (strncmp(identity.key, "SHA256:", 7) != 0 || strlen(identity.key) != 50))
			abort();
		if (identity.ca[0] && (strncmp(identity.ca, "SHA256:", 7) != 0 || strlen(identity.ca) != 50 || !identity.key[0]))
			abort();
	}
	identity_release(&identity);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size * 2 + 128);
	int len;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check(text);
	len = sprintf(text, "publickey ssh-ed25519-cert-v01@openssh.com ");
	if (b64_ntop(data, size, text + len, size * 2 + 80) > 0)
		check(text);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: ISC */
/* Owns keys and certificates (RFC 4253 6.6, OpenSSH's PROTOCOL.certkeys); decides only whose a key is. */
#include "identity.h"

#include <errno.h>
#include <resolv.h>
#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define BLOB_MAX 16384

struct blob {
	const unsigned char *bytes;
	size_t len;
};

/* Fields of the key between a certificate's nonce and its serial number. */
static const struct {
	const char *type; /* without -cert-v01@openssh.com */
	unsigned fields;
} key_types[] = {
	{ "ssh-rsa", 2 }, { "rsa-sha2-256", 2 }, { "rsa-sha2-512", 2 }, { "ssh-dss", 4 }, { "ssh-ed25519", 1 },
	{ "ecdsa-sha2-nistp256", 2 }, { "ecdsa-sha2-nistp384", 2 }, { "ecdsa-sha2-nistp521", 2 },
	{ "sk-ssh-ed25519", 2 }, { "sk-ecdsa-sha2-nistp256", 3 },
};

void identity_release(struct identity *identity)
{
	strv_release(&identity->principals);
}

static bool take(struct blob *blob, size_t count, struct blob *taken)
{
	if (count > blob->len)
		return false;
	*taken = (struct blob){ blob->bytes, count };
	blob->bytes += count;
	blob->len -= count;
	return true;
}

static bool take_string(struct blob *blob, struct blob *taken)
{
	struct blob length;

	if (!take(blob, 4, &length))
		return false;
	return take(blob, (size_t)length.bytes[0] << 24 | (size_t)length.bytes[1] << 16 | (size_t)length.bytes[2] << 8 | length.bytes[3], taken);
}

/* As ssh-keygen -l writes it: base64 without padding. */
static void fingerprint(char out[IDENTITY_FINGERPRINT], const unsigned char *bytes, size_t len)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	char base64[64];
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, bytes, len);
	SHA256Final(digest, &context);
	b64_ntop(digest, sizeof(digest), base64, sizeof(base64));
	snprintf(out, IDENTITY_FINGERPRINT, "SHA256:%.43s", base64);
}

static size_t put_string(unsigned char *out, const void *bytes, size_t len)
{
	out[0] = (unsigned char)(len >> 24);
	out[1] = (unsigned char)(len >> 16);
	out[2] = (unsigned char)(len >> 8);
	out[3] = (unsigned char)len;
	memcpy(out + 4, bytes, len);
	return len + 4;
}

static bool is_type(const struct blob *type, const char *name, size_t *suffix)
{
	size_t len = strlen(name);

	*suffix = len;
	return type->len >= len && memcmp(type->bytes, name, len) == 0;
}

/* The key inside a certificate, in the form a plain key has; its digest is the fingerprint that sshd logs. */
static bool take_plain_key(struct identity *identity, const struct blob *type, struct blob *rest)
{
	static const char certificate[] = "-cert-v01@openssh.com";

	for (size_t i = 0; i < sizeof(key_types) / sizeof(key_types[0]); i++) {
		unsigned char *plain;
		char name[64];
		size_t len, suffix;
		bool is_whole = true;

		if (!is_type(type, key_types[i].type, &suffix) || type->len - suffix != strlen(certificate) ||
			memcmp(type->bytes + suffix, certificate, strlen(certificate)) != 0)
			continue;
		snprintf(name, sizeof(name), "%s%s", key_types[i].type, text_has_prefix(key_types[i].type, "sk-") ? "@openssh.com" : "");
		/* Its fields with their lengths are of the certificate. */
		plain = malloc(4 + sizeof(name) + rest->len);
		if (!plain)
			return false;
		len = put_string(plain, name, strlen(name));
		for (unsigned field = 0; is_whole && field < key_types[i].fields; field++) {
			struct blob value;

			is_whole = take_string(rest, &value);
			if (is_whole)
				len += put_string(plain + len, value.bytes, value.len);
		}
		if (is_whole)
			fingerprint(identity->key, plain, len);
		free(plain);
		return is_whole;
	}
	return false;
}

static bool take_principals(struct identity *identity, struct blob list)
{
	struct blob name;

	while (list.len) {
		char text[256];

		if (!take_string(&list, &name) || name.len >= sizeof(text) || memchr(name.bytes, '\0', name.len))
			return false;
		snprintf(text, sizeof(text), "%.*s", (int)name.len, (const char *)name.bytes);
		strv_add(&identity->principals, text);
	}
	return !identity->principals.failed;
}

static bool take_certificate(struct identity *identity, const struct blob *type, struct blob rest)
{
	struct blob skipped, key_id, principals, ca;

	if (!take_string(&rest, &skipped) || !take_plain_key(identity, type, &rest) || !take(&rest, 8 + 4, &skipped) ||
		!take_string(&rest, &key_id) || !take_string(&rest, &principals) || !take(&rest, 16, &skipped) ||
		!take_string(&rest, &skipped) || !take_string(&rest, &skipped) || !take_string(&rest, &skipped) ||
		!take_string(&rest, &ca))
		return false;
	snprintf(identity->key_id, sizeof(identity->key_id), "%.*s", (int)key_id.len, (const char *)key_id.bytes);
	fingerprint(identity->ca, ca.bytes, ca.len);
	return take_principals(identity, principals);
}

static bool take_key(struct identity *identity, const unsigned char *bytes, size_t len)
{
	struct blob rest = { bytes, len }, type;

	if (!take_string(&rest, &type))
		return false;
	if (memmem(type.bytes, type.len, "-cert-", 6))
		return take_certificate(identity, &type, rest);
	fingerprint(identity->key, bytes, len);
	return true;
}

/* The base64 text of len characters; what is half understood is nobody's. */
static int parse_key(struct identity *identity, const char *text, size_t len, struct err *err)
{
	char *base64 = strndup(text, len);
	unsigned char *bytes = malloc(BLOB_MAX);
	int got = base64 && bytes ? b64_pton(base64, bytes, BLOB_MAX) : 0;
	bool is_understood = got > 0 && take_key(identity, bytes, (size_t)got);

	free(base64);
	free(bytes);
	if (is_understood)
		return 0;
	identity_release(identity);
	*identity = (struct identity){ .principals = STRV_INIT };
	return err_set(err, EINVAL, "sshd's note of the key cannot be understood");
}

int identity_parse(struct identity *identity, const char *auth, struct err *err)
{
	*identity = (struct identity){ .principals = STRV_INIT };
	for (const char *line = auth; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at;
		size_t len;

		if (!text_has_prefix(line, "publickey "))
			continue;
		at = line + strlen("publickey ");
		at += strcspn(at, " \n");
		at += *at == ' ';
		len = strcspn(at, " \n");
		if (len == 0 || len >= BLOB_MAX * 4 / 3 + 8)
			return err_set(err, EINVAL, "sshd's note of the key is not of the form publickey ALGORITHM BASE64");
		return parse_key(identity, at, len, err);
	}
	return 0;
}

static bool is_whose(const struct identity *identity, const char *word)
{
	const char *principal = strchr(word + strlen("SHA256:"), ':');

	if (!principal)
		return identity->key[0] && strcmp(identity->key, word) == 0;
	return identity->ca[0] && strlen(identity->ca) == (size_t)(principal - word) &&
		strncmp(identity->ca, word, (size_t)(principal - word)) == 0 && strv_contains(&identity->principals, principal + 1);
}

const char *identity_actor(const struct identity *identity, const struct profile_entries *actors)
{
	for (size_t i = 0; i < actors->len; i++)
		for (size_t j = 0; j < actors->items[i].words.len; j++)
			if (is_whose(identity, actors->items[i].words.items[j]))
				return actors->items[i].name;
	return NULL;
}

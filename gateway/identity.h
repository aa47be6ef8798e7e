/* SPDX-License-Identifier: ISC */
/*
 * Who holds the key: from what sshd tells of the authentication (sshd_config(5) ExposeAuthInfo: lines of
 * "publickey ALGORITHM BASE64") to the fingerprints that sshd logs, and to a name in [actors].
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile.h"
#include "strv.h"

#define IDENTITY_FINGERPRINT 52 /* "SHA256:", 43 characters, and the end */

struct identity {
	char key[IDENTITY_FINGERPRINT]; /* of the key itself, also for a certificate; "" where there is none */
	char ca[IDENTITY_FINGERPRINT];  /* of the certificate's CA, "" */
	char key_id[128];               /* the certificate's, untrusted text */
	struct strv principals;         /* the certificate's */
};

void identity_release(struct identity *identity);

/* Reads the first public key of the text. 0, also where there is none; -EINVAL for one that cannot be understood, of which nothing is kept. */
int identity_parse(struct identity *identity, const char *auth, struct err *err);

/* The actor's name by key, or by CA and principal; NULL for none. Borrowed from the profile. */
const char *identity_actor(const struct identity *identity, const struct profile_entries *actors);

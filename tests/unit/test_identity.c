/* SPDX-License-Identifier: ISC */
/* Keys and certificates are ssh-keygen's own, made once for all tests; what it says of them is what is expected. */
#include "identity.h"

#include <resolv.h>

#include "fixture.h"
#include "temp.h"

#define AUTH_MAX 24576

static const char *const plain_types[] = { "ed25519", "rsa", "ecdsa", "ecdsa384", "ecdsa521" };

static int make_keys(void **state)
{
	const struct temp *temp;
	char command[2048];

	if (temp_make(state))
		return -1;
	temp = *state;
	snprintf(command, sizeof(command),
		"cd '%s' && "
		"ssh-keygen -q -N '' -C a -t ed25519 -f ed25519 && ssh-keygen -q -N '' -C a -t rsa -b 2048 -f rsa &&"
		"ssh-keygen -q -N '' -C a -t ecdsa -b 256 -f ecdsa && ssh-keygen -q -N '' -C a -t ecdsa -b 384 -f ecdsa384 &&"
		"ssh-keygen -q -N '' -C a -t ecdsa -b 521 -f ecdsa521 && ssh-keygen -q -N '' -C a -t ed25519 -f ca &&"
		"ssh-keygen -q -N '' -C a -t ed25519 -f otherca &&"
		"for key in ed25519 rsa ecdsa ecdsa384 ecdsa521; do ssh-keygen -q -s ca -I \"id of $key\" -n alice,bob -V +1d $key.pub || exit 1; done &&"
		"cp ed25519.pub all.pub && ssh-keygen -q -s ca -I all -V +1d all.pub && cp rsa.pub byrsa.pub &&"
		"ssh-keygen -q -s rsa -I byrsa -n alice -z 18446744073709551615 -O source-address=192.0.2.0/24 -O no-pty byrsa.pub",
		temp->path);
	return system(command) == 0 ? 0 : -1;
}

/* "TYPE BASE64" of NAME.pub, as the line that sshd tells. */
static void read_auth(const struct temp *temp, const char *name, char auth[AUTH_MAX])
{
	char file[64], text[AUTH_MAX] = "", type[64], base64[AUTH_MAX - 200];
	int fd;

	snprintf(file, sizeof(file), "%s.pub", name);
	fd = openat(temp->fd, file, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_int_equal(sscanf(text, "%63s %24000s", type, base64), 2);
	snprintf(auth, AUTH_MAX, "publickey %s %s\n", type, base64);
}

/* What ssh-keygen -l says of NAME.pub. */
static void read_fingerprint(const struct temp *temp, const char *name, char out[128])
{
	char command[256];
	FILE *output;

	snprintf(command, sizeof(command), "exec ssh-keygen -l -f '%s/%s.pub'", temp->path, name);
	output = popen(command, "re");
	assert_non_null(output);
	assert_int_equal(fscanf(output, "%*d %127s", out), 1);
	assert_int_equal(pclose(output), 0);
}

static void parse(const struct temp *temp, const char *name, struct identity *identity)
{
	struct err err = { "" };
	char auth[AUTH_MAX];

	read_auth(temp, name, auth);
	if (identity_parse(identity, auth, &err))
		fail_msg("%s: %s", name, err.text);
}

static void the_fingerprint_of_a_key_is_that_of_ssh_keygen(void **state)
{
	for (size_t i = 0; i < COUNT(plain_types); i++) {
		struct identity identity;
		char expected[128];

		parse(*state, plain_types[i], &identity);
		read_fingerprint(*state, plain_types[i], expected);
		assert_string_equal(identity.key, expected);
		assert_string_equal(identity.ca, "");
		assert_string_equal(identity.key_id, "");
		assert_int_equal(identity.principals.len, 0);
		identity_release(&identity);
	}
}

static void a_certificate_has_the_fingerprint_of_its_key_and_of_its_ca(void **state)
{
	char ca[128];

	read_fingerprint(*state, "ca", ca);
	for (size_t i = 0; i < COUNT(plain_types); i++) {
		struct identity identity;
		char name[64], expected[128], key_id[64];

		snprintf(name, sizeof(name), "%s-cert", plain_types[i]);
		snprintf(key_id, sizeof(key_id), "id of %s", plain_types[i]);
		parse(*state, name, &identity);
		read_fingerprint(*state, plain_types[i], expected);
		assert_string_equal(identity.key, expected);
		assert_string_equal(identity.ca, ca);
		assert_string_equal(identity.key_id, key_id);
		assert_int_equal(identity.principals.len, 2);
		assert_string_equal(identity.principals.items[0], "alice");
		assert_string_equal(identity.principals.items[1], "bob");
		identity_release(&identity);
	}
}

static void options_serials_and_an_rsa_ca_do_not_move_the_fields(void **state)
{
	struct identity identity;
	char expected[128];

	parse(*state, "byrsa-cert", &identity);
	read_fingerprint(*state, "rsa", expected);
	assert_string_equal(identity.key, expected);
	assert_string_equal(identity.ca, expected);
	assert_string_equal(identity.key_id, "byrsa");
	assert_int_equal(identity.principals.len, 1);
	assert_string_equal(identity.principals.items[0], "alice");
	identity_release(&identity);
}

static void without_a_public_key_there_is_no_identity(void **state)
{
	static const char *const auths[] = { "", "\n", "password\n", "keyboard-interactive\ngssapi-with-mic\n", "hostbased ssh-rsa AAAA\n",
		" publickey ssh-ed25519 AAAA\n", "publickeyx\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(auths); i++) {
		struct identity identity;

		assert_int_equal(identity_parse(&identity, auths[i], &(struct err){ "" }), 0);
		assert_string_equal(identity.key, "");
		assert_string_equal(identity.ca, "");
		identity_release(&identity);
	}
}

static void the_first_key_of_several_counts_wherever_it_stands(void **state)
{
	char first[AUTH_MAX], second[AUTH_MAX], both[2 * AUTH_MAX + 32], expected[128];
	struct identity identity;

	read_auth(*state, "ecdsa", first);
	read_auth(*state, "ed25519", second);
	snprintf(both, sizeof(both), "password\n%s%s", first, second);
	read_fingerprint(*state, "ecdsa", expected);
	assert_int_equal(identity_parse(&identity, both, &(struct err){ "" }), 0);
	assert_string_equal(identity.key, expected);
	identity_release(&identity);
	first[strlen(first) - 1] = '\0';
	assert_int_equal(identity_parse(&identity, first, &(struct err){ "" }), 0);
	assert_string_equal(identity.key, expected);
	identity_release(&identity);
}

static void a_key_that_cannot_be_understood_is_refused(void **state)
{
	static const char *const auths[] = { "publickey ", "publickey \n", "publickey ssh-ed25519", "publickey ssh-ed25519\n", "publickey ssh-ed25519 \n",
		"publickey ssh-ed25519 !!!!\n", "publickey ssh-ed25519 AAA\n", "publickey ssh-ed25519 AAAA\n", "publickey ssh-ed25519 /////w==\n",
		"publickey x AAAAHg==\n", "publickey ssh-ed25519\nAAAAC3NzaC1lZDI1NTE5\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(auths); i++) {
		struct identity identity;
		struct err err = { "" };

		if (identity_parse(&identity, auths[i], &err) != -EINVAL || !err.text[0])
			fail_msg("\"%s\" was taken", auths[i]);
		identity_release(&identity);
	}
}

static void a_key_longer_than_any_is_refused(void **state)
{
	static char auth[65536];
	struct identity identity;

	(void)state;
	strcpy(auth, "publickey ssh-rsa ");
	memset(auth + strlen(auth), 'A', sizeof(auth) - strlen(auth) - 1);
	assert_int_equal(identity_parse(&identity, auth, &(struct err){ "" }), -EINVAL);
	identity_release(&identity);
	auth[strlen("publickey ssh-rsa ") + 21848] = '\0'; /* 16386 bytes */
	assert_int_equal(identity_parse(&identity, auth, &(struct err){ "" }), -EINVAL);
	identity_release(&identity);
}

/* [actors] of the profile, as text. */
static void make_actors(struct profile *profile, const char *text)
{
	struct err err = { "" };

	if (profile_init(profile, &err) || fixture_apply(profile, "build.ini", text, LAYER_SITE, &err))
		fail_msg("%s", err.text);
}

static const char *actor_of(const struct temp *temp, const char *name, const struct profile *profile)
{
	struct identity identity;
	const char *actor;

	parse(temp, name, &identity);
	actor = identity_actor(&identity, &profile->actors);
	identity_release(&identity);
	return actor;
}

static void an_actor_is_known_by_any_of_its_keys_and_by_no_other(void **state)
{
	char text[1024], ed[128], rsa[128], ecdsa[128];
	struct identity nobody = { .principals = STRV_INIT };
	struct profile profile;

	read_fingerprint(*state, "ed25519", ed);
	read_fingerprint(*state, "rsa", rsa);
	read_fingerprint(*state, "ecdsa", ecdsa);
	snprintf(text, sizeof(text), "[actors]\ncarol = %s\nalice = %s %s\n", ecdsa, ed, rsa);
	make_actors(&profile, text);
	assert_string_equal(actor_of(*state, "ed25519", &profile), "alice");
	assert_string_equal(actor_of(*state, "rsa", &profile), "alice");
	assert_string_equal(actor_of(*state, "rsa-cert", &profile), "alice");
	assert_string_equal(actor_of(*state, "ecdsa", &profile), "carol");
	assert_null(actor_of(*state, "ecdsa384", &profile));
	assert_null(actor_of(*state, "ecdsa384-cert", &profile));
	assert_null(identity_actor(&nobody, &profile.actors));
	profile_release(&profile);
}

static void an_actor_of_a_ca_is_known_by_a_principal_of_just_that_ca(void **state)
{
	char text[1024], ca[128], other[128];
	struct profile profile;

	read_fingerprint(*state, "ca", ca);
	read_fingerprint(*state, "otherca", other);
	snprintf(text, sizeof(text), "[actors]\nmallory = %s:bob\nrobert = %s:bob\n", other, ca);
	make_actors(&profile, text);
	assert_string_equal(actor_of(*state, "ed25519-cert", &profile), "robert");
	assert_null(actor_of(*state, "ed25519", &profile));
	assert_null(actor_of(*state, "byrsa-cert", &profile)); /* alice, of another CA */
	assert_null(actor_of(*state, "all-cert", &profile));   /* no principal at all is not every one */
	assert_null(actor_of(*state, "ca", &profile));
	profile_release(&profile);
	snprintf(text, sizeof(text), "[actors]\ncarol = %s:carol\nali = %s:ali\nalicex = %s:alicex\n", ca, ca, ca);
	make_actors(&profile, text);
	assert_null(actor_of(*state, "ed25519-cert", &profile));
	profile_release(&profile);
}

/* The CA's own fingerprint is that of a key: a certificate is not the CA's key. */
static void a_cas_fingerprint_alone_makes_no_certificate_its_actor(void **state)
{
	char text[256], ca[128];
	struct profile profile;

	read_fingerprint(*state, "ca", ca);
	snprintf(text, sizeof(text), "[actors]\nthe-ca = %s\n", ca);
	make_actors(&profile, text);
	assert_null(actor_of(*state, "ed25519-cert", &profile));
	assert_string_equal(actor_of(*state, "ca", &profile), "the-ca");
	profile_release(&profile);
}

static size_t decode(const char *auth, unsigned char *bytes, size_t size, char *type)
{
	char base64[AUTH_MAX - 200];
	int len;

	assert_int_equal(sscanf(auth, "publickey %63s %24000s", type, base64), 2);
	len = b64_pton(base64, bytes, size);
	assert_true(len > 0);
	return (size_t)len;
}

/* Parses the bytes, from the heap's very end so that a byte too much is seen by a sanitizer. */
static int parse_bytes(struct identity *identity, const char *type, const unsigned char *bytes, size_t len)
{
	size_t size = strlen(type) + len * 4 / 3 + 32, used;
	char *auth = malloc(size);
	struct err err = { "" };
	int r;

	assert_non_null(auth);
	used = (size_t)snprintf(auth, size, "publickey %s ", type);
	assert_true(b64_ntop(bytes, len, auth + used, size - used) >= 0);
	r = identity_parse(identity, auth, &err);
	free(auth);
	return r;
}

static void a_certificate_cut_anywhere_before_its_ca_ends_is_refused_and_is_nobodys(void **state)
{
	static const char *const names[] = { "ed25519-cert", "rsa-cert", "ecdsa521-cert" };
	char auth[AUTH_MAX], type[64], text[1024], ca[128], key[128];

	read_fingerprint(*state, "ca", ca);
	for (size_t i = 0; i < COUNT(names); i++) {
		unsigned char bytes[16384];
		struct profile profile;
		size_t len, taken = 0;

		snprintf(text, sizeof(text), "%.*s", (int)(strchr(names[i], '-') - names[i]), names[i]);
		read_fingerprint(*state, text, key);
		snprintf(text, sizeof(text), "[actors]\nalice = %s:alice\nkey = %s\n", ca, key);
		make_actors(&profile, text);
		read_auth(*state, names[i], auth);
		len = decode(auth, bytes, sizeof(bytes), type);
		for (size_t cut = 1; cut < len; cut++) {
			struct identity identity;
			int r = parse_bytes(&identity, type, bytes, cut);

			taken += r == 0;
			if (r && identity_actor(&identity, &profile.actors))
				fail_msg("%s cut at %zu is somebody's", names[i], cut);
			identity_release(&identity);
		}
		/* The signature is sshd's to verify: what is cut behind the CA only, is taken. Its field is of 4 + 83 bytes. */
		assert_int_equal(taken, 87);
		profile_release(&profile);
	}
}

static void garbage_neither_crashes_nor_is_anybodys_key(void **state)
{
	char auth[AUTH_MAX], type[64], text[1024], key[128];
	unsigned char bytes[16384], changed[16384];
	struct profile profile;
	uint32_t seed = 1;
	size_t len;

	read_fingerprint(*state, "ed25519", key);
	snprintf(text, sizeof(text), "[actors]\nalice = %s\n", key);
	make_actors(&profile, text);
	read_auth(*state, "ed25519", auth);
	len = decode(auth, bytes, sizeof(bytes), type);
	for (size_t i = 0; i < len * 8; i++) {
		struct identity identity;

		memcpy(changed, bytes, len);
		changed[i / 8] ^= (unsigned char)(1u << i % 8);
		parse_bytes(&identity, type, changed, len);
		assert_null(identity_actor(&identity, &profile.actors));
		identity_release(&identity);
	}
	read_auth(*state, "rsa-cert", auth);
	len = decode(auth, bytes, sizeof(bytes), type);
	for (size_t i = 0; i < 20000; i++) {
		struct identity identity;

		memcpy(changed, bytes, len);
		for (size_t j = 0; j < 1 + i % 3; j++) {
			seed = seed * 1664525 + 1013904223;
			changed[seed / 65536 % len] = (unsigned char)(seed >> 8);
		}
		parse_bytes(&identity, type, changed, len);
		assert_null(identity_actor(&identity, &profile.actors));
		identity_release(&identity);
	}
	profile_release(&profile);
}

static size_t put(unsigned char *out, const void *bytes, size_t len)
{
	out[0] = out[1] = 0;
	out[2] = (unsigned char)(len >> 8);
	out[3] = (unsigned char)len;
	memcpy(out + 4, bytes, len);
	return len + 4;
}

/* A certificate of a made-up key with these principals. */
static int parse_made(struct identity *identity, const char *type, const void *principals, size_t principals_len)
{
	unsigned char bytes[16384], zeros[32] = { 0 };
	size_t len = put(bytes, type, strlen(type));

	len += put(bytes + len, zeros, 32);
	len += put(bytes + len, "key", 3);
	memset(bytes + len, 0, 12);
	len += 12;
	len += put(bytes + len, "id", 2);
	len += put(bytes + len, principals, principals_len);
	memset(bytes + len, 0, 16);
	len += 16;
	for (int i = 0; i < 3; i++)
		len += put(bytes + len, "", 0);
	len += put(bytes + len, "ca", 2);
	len += put(bytes + len, "sig", 3);
	return parse_bytes(identity, type, bytes, len);
}

static void a_principal_with_a_nul_or_longer_than_255_is_refused(void **state)
{
	static const char type[] = "ssh-ed25519-cert-v01@openssh.com";
	unsigned char principals[600];
	struct identity identity;
	char name[257];
	size_t len;

	(void)state;
	memset(name, 'a', sizeof(name));
	len = put(principals, "alice\0x", 5);
	assert_int_equal(parse_made(&identity, type, principals, len), 0);
	assert_true(strv_contains(&identity.principals, "alice"));
	identity_release(&identity);
	len = put(principals, "alice\0x", 7);
	assert_int_equal(parse_made(&identity, type, principals, len), -EINVAL);
	identity_release(&identity);
	len = put(principals, name, 255);
	assert_int_equal(parse_made(&identity, type, principals, len), 0);
	identity_release(&identity);
	len = put(principals, name, 256);
	assert_int_equal(parse_made(&identity, type, principals, len), -EINVAL);
	identity_release(&identity);
	len = put(principals, "alice", 5);
	assert_int_equal(parse_made(&identity, type, principals, len - 1), -EINVAL);
	identity_release(&identity);
}

static void a_certificate_of_an_unknown_type_is_refused(void **state)
{
	static const char *const types[] = { "ssh-ed448-cert-v01@openssh.com", "ssh-ed25519-cert-v02@openssh.com", "ssh-ed25519-cert-v01@openssh.comx",
		"-cert-v01@openssh.com", "ssh-ed25519x-cert-v01@openssh.com" };
	unsigned char principals[16];
	struct identity identity;
	size_t len = put(principals, "alice", 5);

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++) {
		assert_int_equal(parse_made(&identity, types[i], principals, len), -EINVAL);
		identity_release(&identity);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fingerprint_of_a_key_is_that_of_ssh_keygen),
		cmocka_unit_test(a_certificate_has_the_fingerprint_of_its_key_and_of_its_ca),
		cmocka_unit_test(options_serials_and_an_rsa_ca_do_not_move_the_fields),
		cmocka_unit_test(without_a_public_key_there_is_no_identity),
		cmocka_unit_test(the_first_key_of_several_counts_wherever_it_stands),
		cmocka_unit_test(a_key_that_cannot_be_understood_is_refused),
		cmocka_unit_test(a_key_longer_than_any_is_refused),
		cmocka_unit_test(an_actor_is_known_by_any_of_its_keys_and_by_no_other),
		cmocka_unit_test(an_actor_of_a_ca_is_known_by_a_principal_of_just_that_ca),
		cmocka_unit_test(a_cas_fingerprint_alone_makes_no_certificate_its_actor),
		cmocka_unit_test(a_certificate_cut_anywhere_before_its_ca_ends_is_refused_and_is_nobodys),
		cmocka_unit_test(garbage_neither_crashes_nor_is_anybodys_key),
		cmocka_unit_test(a_principal_with_a_nul_or_longer_than_255_is_refused),
		cmocka_unit_test(a_certificate_of_an_unknown_type_is_refused),
	};

	return cmocka_run_group_tests(tests, make_keys, temp_remove);
}

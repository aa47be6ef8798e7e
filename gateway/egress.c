/* SPDX-License-Identifier: ISC */
/* Owns what the words of [network] allow mean; resolves nothing and loads nothing. */
#include "egress.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text.h"

/*
 * Never reached but by a word that names the very address: "this" network, loopback, slirp4netns's own network (10.0.2.2
 * is the host's loopback), link-local with the clouds' metadata services, multicast and broadcast (RFC 6890); and the metadata services of Alibaba, Azure and Oracle.
 */
static const char *const blocked[] = { "0.0.0.0/8", "127.0.0.0/8", "10.0.2.0/24", "169.254.0.0/16", "224.0.0.0/3",
	"100.100.100.200", "168.63.129.16", "192.0.0.192", NULL };

#define ACCEPTED "accepted, IPv4 only: host:port, CIDR, CIDR:port, *:port"

bool egress_is_address(const char *text)
{
	unsigned char bytes[4];

	return inet_pton(AF_INET, text, bytes) == 1;
}

bool egress_is_server(const char *text)
{
	unsigned char bytes[4];

	if (inet_pton(AF_INET, text, bytes) != 1)
		return false;
	return bytes[0] != 0 && bytes[0] != 127 && bytes[0] < 224 && !(bytes[0] == 10 && bytes[1] == 0 && bytes[2] == 2 && bytes[3] != 3);
}

/* RFC 1123: letters, digits, "-" and ".", at most 253. */
static bool is_host_name(const char *text)
{
	size_t len = strlen(text);

	return len && len <= 253 && text[0] != '-' && text[0] != '.' && !strstr(text, "..") &&
		strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_") == len;
}

/* "010.0.0.1", "127.1", "0x7f000001": what inet_aton(3) would take for an address is nobody's name. */
static bool is_odd_number(const char *text)
{
	const char *dot = strrchr(text, '.'), *last = dot ? dot + 1 : text;

	return strspn(last, "0123456789") == strlen(last) || strncasecmp(last, "0x", 2) == 0;
}

static bool take_net(struct egress_word *word)
{
	char address[sizeof(word->target)], *slash;
	uint64_t length = 32;

	snprintf(address, sizeof(address), "%s", word->target);
	slash = strchr(address, '/');
	if (slash)
		*slash = '\0';
	if (!egress_is_address(address) || (slash && text_number(slash + 1, 32, &length)))
		return false;
	word->kind = EGRESS_NET;
	word->is_single = length == 32;
	return true;
}

static bool take_word(struct egress_word *word, const char *text)
{
	size_t len = strcspn(text, ":");
	uint64_t port = 0;

	if (len >= sizeof(word->target) || (text[len] && (text_number(text + len + 1, 65535, &port) || !port)))
		return false;
	snprintf(word->target, sizeof(word->target), "%.*s", (int)len, text);
	word->port = (unsigned)port;
	if (take_net(word))
		return true;
	word->kind = strcmp(word->target, "*") == 0 ? EGRESS_ANY : EGRESS_NAME;
	return word->port && (word->kind == EGRESS_ANY || (is_host_name(word->target) && !is_odd_number(word->target)));
}

int egress_parse(struct egress_word *word, const char *text, struct err *err)
{
	*word = (struct egress_word){ .kind = EGRESS_NAME };
	return take_word(word, text) ? 0 : err_set(err, EINVAL, "\"%s\" is not understood; " ACCEPTED, text);
}

/* target NULL: any; port 0: every port and protocol. */
static void add_accept(struct strv *lines, const char *target, unsigned port)
{
	char where[sizeof("ip daddr ") + 256] = "";

	if (target)
		snprintf(where, sizeof(where), "ip daddr %s ", target);
	if (port)
		strv_addf(lines, "\t\t%smeta l4proto { 6, 17 } th dport %u accept", where, port);
	else
		strv_addf(lines, "\t\t%saccept", where);
}

static void add_word(struct strv *lines, const struct egress_word *word, const struct facts_network *network)
{
	if (word->kind != EGRESS_NAME)
		add_accept(lines, word->kind == EGRESS_NET ? word->target : NULL, word->port);
	for (size_t i = 0; word->kind == EGRESS_NAME && i < network->names_len; i++)
		if (strcmp(network->names[i].name, word->target) == 0)
			add_accept(lines, network->names[i].address, word->port);
}

static void add_words(struct strv *lines, const struct strv *allow, const struct facts_network *network, bool is_single)
{
	for (size_t i = 0; i < allow->len; i++) {
		struct egress_word word;
		struct err ignored;

		if (egress_parse(&word, allow->items[i], &ignored) == 0 && is_single == (word.kind == EGRESS_NET && word.is_single))
			add_word(lines, &word, network);
	}
}

static void add_name_servers(struct strv *lines, const struct strv *dns)
{
	if (!dns->len)
		add_accept(lines, EGRESS_RESOLVER, 53);
	for (size_t i = 0; i < dns->len; i++)
		add_accept(lines, dns->items[i], 53);
}

static void add_blocked(struct strv *lines, const struct facts_network *network)
{
	for (size_t i = 0; blocked[i]; i++)
		strv_addf(lines, "\t\tip daddr %s goto refuse", blocked[i]);
	for (size_t i = 0; i < network->own.len; i++)
		strv_addf(lines, "\t\tip daddr %s goto refuse", network->own.items[i]);
}

static char *join_lines(const struct strv *lines)
{
	size_t len = 1;
	char *text, *end;

	for (size_t i = 0; i < lines->len; i++)
		len += strlen(lines->items[i]) + 1;
	text = lines->failed ? NULL : malloc(len);
	if (!text)
		return NULL;
	end = text;
	for (size_t i = 0; i < lines->len; i++) {
		end = stpcpy(end, lines->items[i]);
		end = stpcpy(end, "\n");
	}
	*end = '\0';
	return text;
}

char *egress_rules(const struct strv *allow, const struct strv *dns, const struct facts_network *network)
{
	_cleanup_strv_ struct strv lines = STRV_INIT;

	/* Deleted where it is there: a second attempt begins anew. Numbers: a small host has no /etc/protocols. */
	strv_add_all(&lines, (const char *const[]){ "add table inet stockade", "delete table inet stockade", "table inet stockade {",
		"\tcounter refused {", "\t}", "\tchain refuse {", "\t\tcounter name refused",
		"\t\tmeta l4proto 6 reject with tcp reset", "\t\treject with icmpx type admin-prohibited", "\t}",
		"\tchain output {", "\t\ttype filter hook output priority 0; policy drop;", "\t\toifname \"lo\" accept",
		/* The kernel's own search for IPv6 neighbours is nobody's attempt. */
		"\t\tmeta l4proto 58 drop", "\t\tmeta nfproto ipv6 goto refuse", NULL });
	add_name_servers(&lines, dns);
	add_words(&lines, allow, network, true);
	add_blocked(&lines, network);
	add_words(&lines, allow, network, false);
	strv_add_all(&lines, (const char *const[]){ allow->len ? "\t\tgoto refuse" : "\t\taccept", "\t}", "}", NULL });
	return join_lines(&lines);
}

char *egress_hosts(const struct facts_network *network, const char *hostname)
{
	_cleanup_strv_ struct strv lines = STRV_INIT;

	strv_addf(&lines, "127.0.0.1 localhost %s", hostname);
	strv_add(&lines, "::1 localhost");
	for (size_t i = 0; i < network->names_len; i++)
		strv_addf(&lines, "%s %s", network->names[i].address, network->names[i].name);
	return join_lines(&lines);
}

char *egress_resolv_conf(const struct strv *dns)
{
	_cleanup_strv_ struct strv lines = STRV_INIT;

	if (!dns->len)
		strv_add(&lines, "nameserver " EGRESS_RESOLVER);
	for (size_t i = 0; i < dns->len; i++)
		strv_addf(&lines, "nameserver %s", dns->items[i]);
	return join_lines(&lines);
}

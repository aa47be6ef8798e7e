/* SPDX-License-Identifier: ISC */
/*
 * Where a run with a private network may connect to: the words of [network] allow, and the nftables rules and the files
 * of name service that follow from them. The network is slirp4netns(1)'s: IPv4, 10.0.2.0/24, its resolver at 10.0.2.3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "facts.h"
#include "strv.h"

#define EGRESS_RESOLVER "10.0.2.3"

enum egress_kind { EGRESS_NAME, EGRESS_NET, EGRESS_ANY };

struct egress_word {
	enum egress_kind kind;
	bool is_single;        /* of EGRESS_NET: one address */
	char target[256];      /* name, or ADDRESS[/LENGTH] */
	unsigned port;         /* 0: every port and protocol */
};

/* "host:port", "ADDRESS[/LENGTH][:port]", "*:port"; IPv4 only. Errors: -EINVAL with a sentence. */
int egress_parse(struct egress_word *word, const char *text, struct err *err);

/* An IPv4 address without anything else. */
bool egress_is_address(const char *text);

/* One that a run could ask for names: neither loopback nor slirp4netns's own. */
bool egress_is_server(const char *text);

/*
 * The rules, as nft(8) reads them. First the account's own name servers, then addresses that the profile names one by
 * one, then what is never reached (the host itself, link-local, multicast), then the other words. Without words all
 * else is reached. What is refused is answered at once and counted. Heap, NULL: no memory.
 */
char *egress_rules(const struct strv *allow, const struct strv *dns, const struct facts_network *network);

/* /etc/hosts and /etc/resolv.conf for the run. Heap, NULL: no memory. */
char *egress_hosts(const struct facts_network *network, const char *hostname);
char *egress_resolv_conf(const struct strv *dns);

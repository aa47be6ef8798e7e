/* SPDX-License-Identifier: ISC */
#include "egress.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct facts_name names[] = { { (char *)"build.example", "198.51.100.2" }, { (char *)"build.example", "198.51.100.3" },
	{ (char *)"other.example", "198.51.100.4" } };

static struct facts_network network_of(const char *own)
{
	struct facts_network network = { .names = names, .names_len = 3, .own = STRV_INIT };

	if (own)
		strv_add(&network.own, own);
	return network;
}

static char *rules_of(const char *const *allow, const char *const *dns, const char *own)
{
	_cleanup_strv_ struct strv allowed = STRV_INIT, servers = STRV_INIT;
	struct facts_network network = network_of(own);
	char *rules;

	strv_add_all(&allowed, allow ? allow : (const char *const[]){ NULL });
	strv_add_all(&servers, dns ? dns : (const char *const[]){ NULL });
	rules = egress_rules(&allowed, &servers, &network);
	assert_non_null(rules);
	strv_release(&network.own);
	return rules;
}

static size_t place(const char *rules, const char *line)
{
	const char *at = strstr(rules, line);

	if (!at)
		fail_msg("no \"%s\" in\n%s", line, rules);
	return at ? (size_t)(at - rules) : 0;
}

static void words_are_names_nets_and_any_with_their_ports(void **state)
{
	static const struct {
		const char *text, *target;
		enum egress_kind kind;
		unsigned port;
		bool is_single;
	} rows[] = {
		{ "build.example:443", "build.example", EGRESS_NAME, 443, false },
		{ "192.0.2.7", "192.0.2.7", EGRESS_NET, 0, true },
		{ "192.0.2.7/32:22", "192.0.2.7/32", EGRESS_NET, 22, true },
		{ "192.0.2.0/24", "192.0.2.0/24", EGRESS_NET, 0, false },
		{ "0.0.0.0/0:65535", "0.0.0.0/0", EGRESS_NET, 65535, false },
		{ "*:443", "*", EGRESS_ANY, 443, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct egress_word word;
		struct err err = { "" };

		if (egress_parse(&word, rows[i].text, &err))
			fail_msg("%s: %s", rows[i].text, err.text);
		assert_int_equal(word.kind, rows[i].kind);
		assert_string_equal(word.target, rows[i].target);
		assert_int_equal(word.port, rows[i].port);
		assert_int_equal(word.is_single, rows[i].is_single);
	}
}

static void anything_else_is_refused(void **state)
{
	static const char *const odd[] = { "", "*", "*:", ":443", "build.example", "build.example:", "build.example:0", "build.example:65536",
		"build.example:http", "build.example:4 3", "a b:1", "a;b:1", "a}b:1", "-a:1", ".a:1", "a..b:1", "192.0.2.0/33", "192.0.2.0/", "192.0.2.0/-1",
		"192.0.2.0/24:0", "192.0.2.7:443:1", "2001:db8::1", "[2001:db8::1]:443", "::/0", "a\"b:1", "a\nb:1", "*.example:443",
		"010.0.0.1:80", "127.1:80", "2130706433:80", "0x7f000001:80", "a.0x1:80" };
	char longest[400];

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct egress_word word;
		struct err err = { "" };

		if (egress_parse(&word, odd[i], &err) != -EINVAL)
			fail_msg("\"%s\" is taken", odd[i]);
	}
	memset(longest, 'a', sizeof(longest));
	strcpy(longest + 300, ":1");
	assert_int_equal(egress_parse(&(struct egress_word){ 0 }, longest, &(struct err){ "" }), -EINVAL);
}

static void the_host_is_closed_before_a_net_is_open(void **state)
{
	const char *const allow[] = { "0.0.0.0/0:443", "198.51.100.9:22", NULL };
	char *rules = rules_of(allow, NULL, "198.51.100.9");

	(void)state;
	/* The very address, then the host's own, then nets. */
	assert_true(place(rules, "ip daddr 198.51.100.9 meta l4proto { 6, 17 } th dport 22 accept") < place(rules, "ip daddr 198.51.100.9 goto refuse"));
	assert_true(place(rules, "ip daddr 198.51.100.9 goto refuse") < place(rules, "ip daddr 0.0.0.0/0 meta l4proto { 6, 17 } th dport 443 accept"));
	assert_true(place(rules, "ip daddr 169.254.0.0/16 goto refuse") < place(rules, "ip daddr 0.0.0.0/0 "));
	assert_true(place(rules, "ip daddr 10.0.2.3 meta l4proto { 6, 17 } th dport 53 accept") < place(rules, "ip daddr 10.0.2.0/24 goto refuse"));
	place(rules, "policy drop;");
	place(rules, "\t\tgoto refuse\n\t}\n}\n");
	free(rules);
}

static void without_words_all_else_is_open_and_the_host_is_not(void **state)
{
	char *rules = rules_of(NULL, NULL, "198.51.100.9");

	(void)state;
	assert_true(place(rules, "ip daddr 198.51.100.9 goto refuse") < place(rules, "\t\taccept\n\t}\n}\n"));
	place(rules, "meta nfproto ipv6 goto refuse");
	free(rules);
}

static void a_name_is_each_of_its_addresses(void **state)
{
	const char *const allow[] = { "build.example:8080", NULL };
	char *rules = rules_of(allow, NULL, NULL);

	(void)state;
	place(rules, "ip daddr 198.51.100.2 meta l4proto { 6, 17 } th dport 8080 accept");
	place(rules, "ip daddr 198.51.100.3 meta l4proto { 6, 17 } th dport 8080 accept");
	assert_null(strstr(rules, "198.51.100.4"));
	free(rules);
}

static void name_servers_of_the_profile_replace_the_hosts(void **state)
{
	const char *const dns[] = { "192.0.2.53", NULL };
	_cleanup_strv_ struct strv servers = STRV_INIT;
	char *rules = rules_of(NULL, dns, NULL), *conf;

	(void)state;
	place(rules, "ip daddr 192.0.2.53 meta l4proto { 6, 17 } th dport 53 accept");
	assert_null(strstr(rules, "10.0.2.3 "));
	free(rules);
	conf = egress_resolv_conf(&servers);
	assert_string_equal(conf, "nameserver 10.0.2.3\n");
	free(conf);
	strv_add(&servers, "192.0.2.53");
	conf = egress_resolv_conf(&servers);
	assert_string_equal(conf, "nameserver 192.0.2.53\n");
	free(conf);
}

static void hosts_has_the_names_of_the_profile(void **state)
{
	struct facts_network network = network_of(NULL);
	char *hosts = egress_hosts(&network, "box");

	(void)state;
	assert_string_equal(hosts, "127.0.0.1 localhost box\n::1 localhost\n198.51.100.2 build.example\n198.51.100.3 build.example\n"
				   "198.51.100.4 other.example\n");
	free(hosts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_names_nets_and_any_with_their_ports),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(the_host_is_closed_before_a_net_is_open),
		cmocka_unit_test(without_words_all_else_is_open_and_the_host_is_not),
		cmocka_unit_test(a_name_is_each_of_its_addresses),
		cmocka_unit_test(name_servers_of_the_profile_replace_the_hosts),
		cmocka_unit_test(hosts_has_the_names_of_the_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

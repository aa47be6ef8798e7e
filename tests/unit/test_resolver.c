/* SPDX-License-Identifier: ISC */
#include "resolver.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run.h"

static void forget(struct facts_network *network)
{
	for (size_t i = 0; i < network->names_len; i++)
		free(network->names[i].name);
	free(network->names);
	strv_release(&network->own);
}

static void a_name_has_its_addresses(void **state)
{
	struct facts_network network = { .own = STRV_INIT };
	_cleanup_strv_ struct strv names = STRV_INIT;
	struct err err = { "" };

	(void)state;
	strv_add(&names, "localhost");
	strv_add(&names, "192.0.2.7");
	assert_int_equal(resolver_ask(&network, &names, -1, &err), 0);
	assert_int_equal(network.names_len, 2);
	assert_string_equal(network.names[0].name, "localhost");
	assert_string_equal(network.names[0].address, "127.0.0.1");
	assert_string_equal(network.names[1].address, "192.0.2.7");
	forget(&network);
}

static void a_name_without_an_address_is_an_error_that_names_it(void **state)
{
	struct facts_network network = { .own = STRV_INIT };
	_cleanup_strv_ struct strv names = STRV_INIT;
	struct err err = { "" };

	(void)state;
	strv_add(&names, "localhost");
	strv_add(&names, "no-such-name.invalid"); /* RFC 2606 */
	assert_true(resolver_ask(&network, &names, -1, &err) < 0);
	if (!strstr(err.text, "no-such-name.invalid") && !strstr(err.text, "not resolved"))
		fail_msg("%s", err.text);
	forget(&network);
}

static void a_signal_ends_the_wait(void **state)
{
	struct facts_network network = { .own = STRV_INIT };
	_cleanup_strv_ struct strv names = STRV_INIT;
	struct err err = { "" };
	int signal_fd;

	(void)state;
	signal_fd = run_block_signals(&err);
	assert_true(signal_fd >= 0);
	strv_add(&names, "localhost");
	kill(getpid(), SIGTERM);
	assert_int_equal(resolver_ask(&network, &names, signal_fd, &err), -EINTR);
	close(signal_fd);
	forget(&network);
}

static void no_names_ask_nobody(void **state)
{
	struct facts_network network = { .own = STRV_INIT };
	_cleanup_strv_ struct strv names = STRV_INIT;
	struct err err = { "" };

	(void)state;
	assert_int_equal(resolver_ask(&network, &names, -1, &err), 0);
	assert_int_equal(network.names_len, 0);
}

static void the_hosts_own_addresses_have_loopback_among_them_once(void **state)
{
	struct facts_network network = { .own = STRV_INIT };
	struct err err = { "" };
	size_t count = 0, heard = 0;

	(void)state;
	assert_int_equal(resolver_own(&network, &err), 0);
	for (size_t i = 0; i < network.own.len; i++) {
		assert_null(strchr(network.own.items[i], ':'));
		count += strcmp(network.own.items[i], "127.0.0.1/32") == 0;
		heard += strcmp(network.own.items[i], "127.255.255.255/32") == 0;
	}
	assert_int_equal(count, 1);
	assert_int_equal(heard, 1); /* the broadcast address */
	forget(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_has_its_addresses),
		cmocka_unit_test(a_name_without_an_address_is_an_error_that_names_it),
		cmocka_unit_test(no_names_ask_nobody),
		cmocka_unit_test(a_signal_ends_the_wait),
		cmocka_unit_test(the_hosts_own_addresses_have_loopback_among_them_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

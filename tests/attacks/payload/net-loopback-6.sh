#!/bin/sh
# SPDX-License-Identifier: ISC
# Connects to a service on the host's IPv6 loopback address; the network namespace is the run's own.
# guarantee: G2

attack() {
	perl -MSocket=:all -e 'socket(S, AF_INET6, SOCK_STREAM, 0); exit(connect(S, pack_sockaddr_in6(7777, inet_pton(AF_INET6, "::1"))) ? 0 : 1)'
}

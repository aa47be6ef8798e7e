#!/bin/sh
# SPDX-License-Identifier: ISC
# Connects to a service on the host's loopback address; the network namespace is the run's own.
# guarantee: G2

attack() {
	perl -e 'use Socket; socket(S, AF_INET, SOCK_STREAM, 0); exit(connect(S, sockaddr_in(7777, inet_aton("127.0.0.1"))) ? 0 : 1)'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Asks a service of the host by a datagram; the network namespace is the run's own.
# guarantee: G2

attack() {
	perl -e 'use Socket; my $answer; socket(S, AF_INET, SOCK_DGRAM, 0); send(S, "x", 0, sockaddr_in(7777, inet_aton("127.0.0.1"))); my $in = ""; vec($in, fileno S, 1) = 1; exit(select($in, undef, undef, 2) > 0 && recv(S, $answer, 9, 0) && $answer eq "answer" ? 0 : 1)'
}

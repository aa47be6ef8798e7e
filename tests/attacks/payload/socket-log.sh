#!/bin/sh
# SPDX-License-Identifier: ISC
# Connects to the system log; /dev is the fence's own.
# guarantee: G6

attack() {
	perl -MSocket -e 'for my $t (SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET) {
		socket(S, AF_UNIX, $t, 0); exit 0 if connect(S, sockaddr_un($ARGV[0])) } exit 1' "/dev/log"
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Writes into the system log from inside, under the gateway's own name; no log is reachable.
# guarantee: G8

attack() {
	perl -MSocket -e 'socket(S, AF_UNIX, SOCK_DGRAM, 0); connect(S, sockaddr_un("/dev/log")) or exit 1;
		exit(send(S, "<86>stockade: end session=forged00", 0) ? 0 : 1)'
}

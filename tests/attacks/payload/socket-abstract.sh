#!/bin/sh
# SPDX-License-Identifier: ISC
# Connects to a listener on an abstract socket of the host; the network namespace is the run's own.
# guarantee: G6

attack() {
	perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); exit(connect(S, sockaddr_un("\0stockade-attacks-listener")) ? 0 : 1)'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Connects to services that listen in trees which are shown read-only, as databases do below /srv or /var/lib; covered.
# guarantee: G6

attack() {
	perl -MSocket -e 'for my $path (@ARGV) {
		socket(S, AF_UNIX, SOCK_STREAM, 0); exit 0 if connect(S, sockaddr_un($path)) } exit 1' /srv/stockade-sockets/s /usr/local/stockade-attacks.sock
}

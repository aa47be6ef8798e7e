#!/bin/sh
# SPDX-License-Identifier: ISC
# Reaches sshd on the host's loopback address; there is no way out of the network namespace.
# where: payload
set -u

attack() {
	perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0); exit(connect(S, sockaddr_in(22, inet_aton("127.0.0.1"))) ? 0 : 1)' 
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

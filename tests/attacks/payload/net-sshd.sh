#!/bin/sh
# SPDX-License-Identifier: ISC
# Logs in to the host from inside; nothing of it answers.
# guarantee: G2

attack() {
	case $(perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(22, inet_aton("127.0.0.1"))) or exit; sysread(S, my $b, 8); print $b') in
		SSH-2.0*) return 0 ;;
	esac
	return 1
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Finds a socket of the host by path, or connects to a bus by its usual address; none is shown.
# where: payload
set -u

attack() {
	[ -n "$(find / -xdev -type s 2>/dev/null; find /run /var /tmp -type s 2>/dev/null)" ] && return 0
	for path in /run/user/$(id -u)/bus /run/dbus/system_bus_socket /run/systemd/journal/socket /dev/log /var/run/docker.sock; do
		perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); exit 0 if connect(S, sockaddr_un($ARGV[0])); socket(S, AF_UNIX, SOCK_DGRAM, 0);
			exit(connect(S, sockaddr_un($ARGV[0])) ? 0 : 1)' "$path" && return 0
	done
	return 1
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

#!/bin/sh
# SPDX-License-Identifier: ISC
# Becomes somebody else by the host's setuid programs; no new privileges.
# where: payload
set -u

attack() {
	for program in $(find /usr/bin /usr/sbin /usr/lib -perm -4000 -type f 2>/dev/null); do cp "$program" /dev/null; done
	[ "$(perl -e 'print join ",", $<, $>, $(+0, $)+0' )" != "$(id -u),$(id -u),$(id -g),$(id -g)" ] && return 0
	grep -q '^NoNewPrivs:	0' /proc/self/status
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

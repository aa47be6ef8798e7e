#!/bin/sh
# SPDX-License-Identifier: ISC
# Reads what the client and sshd set from every environment it can see; nothing of it came in.
# where: payload
set -u

attack() {
	for file in /proc/[0-9]*/environ /proc/self/environ; do
		tr '\0' '\n' <"$file" 2>/dev/null | grep -Eq '^(SSH_|XDG_|DBUS_|CANARY=)' && return 0
	done
	return 1
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

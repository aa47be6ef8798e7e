#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks for what the client and sshd set in every environment it can read; nothing of it came in.
# guarantee: G3

attack() {
	for file in /proc/[0-9]*/environ /proc/self/environ; do
		tr '\0' '\n' <"$file" 2>/dev/null | grep -Eq '^(SSH_|XDG_|DBUS_|CANARY=)' && return 0
	done
	return 1
}

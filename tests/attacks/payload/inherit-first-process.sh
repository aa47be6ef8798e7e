#!/bin/sh
# SPDX-License-Identifier: ISC
# Reads the environment of the first process it can see the parents of; it is empty.
# guarantee: G3

attack() {
	process=$$
	while [ "$process" -gt 1 ]; do
		process=$(awk '/^PPid:/ { print $2 }' "/proc/$process/status" 2>/dev/null) || return 1
		[ -n "$process" ] || return 1
		[ "$(tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -c '^SSH_')" -gt 0 ] && return 0
	done
	return 1
}

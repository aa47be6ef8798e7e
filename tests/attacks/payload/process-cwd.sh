#!/bin/sh
# SPDX-License-Identifier: ISC
# Writes where a process of the host stands, by /proc/PID/cwd.
# guarantee: G1

attack() {
	for process in /proc/[0-9]*; do
		[ -e "$process/cwd/attacks-host" ] && return 0
	done 2>/dev/null
	return 1
}

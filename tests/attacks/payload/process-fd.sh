#!/bin/sh
# SPDX-License-Identifier: ISC
# Goes through a directory that a process of the host has open, by /proc/PID/fd.
# guarantee: G1

attack() {
	for process in /proc/[0-9]*; do
		[ -e "$process/fd/7/attacks-host" ] && return 0
	done 2>/dev/null
	return 1
}

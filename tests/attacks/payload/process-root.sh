#!/bin/sh
# SPDX-License-Identifier: ISC
# Reads the account's home by /proc/PID/root of any process; all of them are in the fence, or may not be looked at.
# guarantee: G1

attack() {
	for process in /proc/[0-9]*; do
		[ -e "$process/root/home/$(id -un)/attacks-host" ] && return 0
	done 2>/dev/null
	return 1
}

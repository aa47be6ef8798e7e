#!/bin/sh
# SPDX-License-Identifier: ISC
# Finds the account's files in the host's /tmp, /var/tmp and /dev/shm; they are the session's own.
# guarantee: G5

attack() {
	for directory in /tmp /var/tmp /dev/shm; do
		[ -e "$directory/attacks-host-$(id -un)" ] && return 0
	done
	return 1
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks into trees that tell of others: logs, spool, private directories, run time.
# guarantee: G5

attack() {
	for directory in /var/log /var/spool /var/lib/stockade /run /run/lock /root /home/client; do
		[ -e "$directory/attacks-host" ] && return 0
	done
	return 1
}

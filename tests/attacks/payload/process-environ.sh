#!/bin/sh
# SPDX-License-Identifier: ISC
# Reads the environment of every process there is; none of the host can be read.
# guarantee: G3

attack() {
	for process in /proc/[0-9]*; do
		tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -q '^ATTACKS_SECRET=' && return 0
	done 2>/dev/null
	return 1
}

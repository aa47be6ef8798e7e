#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens the memory of a process of the host; none can be.
# guarantee: G4

attack() {
	for process in /proc/[0-9]*; do
		case $(tr '\0' ' ' <"$process/cmdline" 2>/dev/null) in 'sleep 8643 '*) (: <>"$process/mem") 2>/dev/null && return 0 ;; esac
	done
	return 1
}

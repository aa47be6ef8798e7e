#!/bin/sh
# SPDX-License-Identifier: ISC
# Writes to the host by /proc/PID/root, cwd and fd of each process it can see; all of them are in the fence.
# where: payload
set -u

attack() {
	for process in /proc/[0-9]*; do
		for way in root cwd; do
			for place in var/tmp var/lib/stockade/tmp "home/$(id -un)" "run/user/$(id -u)"; do
				file=$process/$way/$place/stockade-attacks-root
				(: >"$file") 2>/dev/null && [ -e /run/systemd ] && return 0
			done
		done
		for fd in "$process"/fd/*; do
			[ -d "$fd/." ] && case $(readlink "$fd") in /proc/*) ;; *) return 0 ;; esac
		done
	done 2>/dev/null
	return 1
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

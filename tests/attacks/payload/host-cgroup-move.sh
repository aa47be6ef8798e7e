#!/bin/sh
# SPDX-License-Identifier: ISC
# Moves itself to another control group; the tree is read-only.
# guarantee: G9 at every grade

attack() {
	# shellcheck disable=SC2044
	for directory in $(find /sys/fs/cgroup -type d 2>/dev/null); do
		[ -w "$directory/cgroup.procs" ] && (: >>"$directory/cgroup.procs") 2>/dev/null && return 0
	done
	return 1
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a control group, where a limit could be left behind; the tree is read-only.
# guarantee: G9 at every grade

attack() {
	# shellcheck disable=SC2044
	for directory in $(find /sys/fs/cgroup -type d 2>/dev/null); do
		mkdir "$directory/attacks" 2>/dev/null && { rmdir "$directory/attacks"; return 0; }
	done
	return 1
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Writes to kernel settings, core patterns and control groups; they are root's, or read-only.
# where: payload without-control
set -u

attack() {
	for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/vm/drop_caches /proc/sys/kernel/hostname /sys/fs/cgroup/cgroup.procs \
		/proc/sys/user/max_user_namespaces /sys/devices/system/cpu/cpu0/online /proc/self/uid_map; do
		(echo 1 >"$file") 2>/dev/null && return 0
	done
	mkdir /sys/fs/cgroup/stockade-attacks 2>/dev/null
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

#!/bin/sh
# SPDX-License-Identifier: ISC
# Writes kernel settings; they are root's, or read-only.
# guarantee: G4
# control: root

attack() {
	for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/vm/drop_caches /proc/sys/kernel/hostname /proc/sys/net/ipv4/ip_forward \
		/proc/sys/user/max_user_namespaces /sys/devices/system/cpu/cpu0/online /proc/sys/fs/suid_dumpable; do
		(: >>"$file") 2>/dev/null && return 0
	done
	return 1
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Finds a process of the host by its name; only the fence's own are there.
# guarantee: G9

attack() {
	grep -qx sshd /proc/[0-9]*/comm 2>/dev/null || return 1
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Runs a program with file capabilities; no new privileges.
# guarantee: G4

attack() {
	[ -x /usr/local/bin/attacks-capable ] || return 2
	[ "$(/usr/local/bin/attacks-capable -e 'use POSIX; POSIX::setuid(0); print $>' 2>/dev/null)" = 0 ]
}

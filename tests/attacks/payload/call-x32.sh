#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes an x32 call, whose number a filter may not know; the process is killed before it is answered.
# guarantee: G4

attack() {
	[ "$(perl -e 'syscall(0x40000000 | 39); print "alive"' 2>/dev/null)" = alive ]
}

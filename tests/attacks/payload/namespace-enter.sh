#!/bin/sh
# SPDX-License-Identifier: ISC
# Enters the network namespace of another process; the filter refuses setns, and none can be opened.
# guarantee: G4
# control: root

attack() {
	perl -e 'for my $p (glob("/proc/[0-9]*")) { open(my $n, "<", "$p/ns/net") or next; exit 0 if syscall(308, fileno $n, 0x40000000) == 0 } exit 1'
}

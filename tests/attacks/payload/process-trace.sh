#!/bin/sh
# SPDX-License-Identifier: ISC
# Attaches a debugger to a process of the host; none is seen, or the filter refuses it.
# guarantee: G4

attack() {
	perl -e 'for my $p (glob("/proc/[0-9]*")) { open(F, "<", "$p/cmdline") or next; my $c = <F> // ""; next unless $c =~ /^sleep\0008643/;
		exit 0 if syscall(101, 0x4206, $p =~ s{.*/}{}r + 0, 0, 0) == 0 } exit 1'
}

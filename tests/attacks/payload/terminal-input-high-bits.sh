#!/bin/sh
# SPDX-License-Identifier: ISC
# The same with bits above the 32 that the kernel looks at (CVE-2019-10063); the filter compares 32.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } for my $n (0x100005412, 0xffffffff00005412) { exit 0 if call(16, 0, $n, my $c = "x") == 0 || $! + 0 != 1 } exit 1'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens a pair of sockets of a rare family; the filter refuses the family before the kernel does.
# guarantee: G6

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(53, 2, 1, 0, my $s = "x" x 8) < 0 && $! + 0 == 95 && call(53, 17, 3, 0, $s) < 0 && $! + 0 == 97 ? 1 : 0)'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Has a socket of a refused netlink protocol made by asking for a pair; the filter refuses it before the kernel sees the type.
# guarantee: G6

attack() {
	# ESOCKTNOSUPPORT is netlink's own.
	perl -e 'exit(syscall(53, 16, 1, 9, my $s = "x" x 8) < 0 && $! + 0 == 94 ? 0 : 1)'
}

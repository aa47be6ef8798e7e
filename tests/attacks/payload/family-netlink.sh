#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens netlink protocols other than routing; the filter refuses them.
# guarantee: G6

attack() {
	perl -e 'for my $p (2, 4, 6, 7, 10, 11, 12, 15, 16) { exit 0 if syscall(41, 16, 3, $p) >= 0 } exit 1'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens a socket of any family but the four that programs need; the filter knows those four only.
# guarantee: G6

attack() {
	perl -e 'for my $f (3 .. 9, 11 .. 15, 17 .. 50) { for my $t (1, 2, 3, 5) { next if syscall(41, $f, $t, 0) < 0 && $! + 0 == 97; print "family $f\n"; exit 0 } } exit 1'
}

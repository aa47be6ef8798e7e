#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens sockets of families that pass the network namespace by or reach rare kernel code; the filter refuses them.
# where: payload
set -u

attack() {
	perl -e 'for my $f (40, 38, 17, 31, 29, 16) { for my $t (1, 2, 3, 5) { my $p = $f == 16 ? 12 : 0; exit 0 if syscall(41, $f, $t, $p) >= 0 } } exit 1' 
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens internet sockets of protocols that are rarely used, for which the kernel may load a module; the filter refuses them.
# guarantee: G6
# needs: perl -e 'exit(syscall(41, 2, 2, 136) < 0 && syscall(41, 10, 1, 132) < 0)'

attack() {
	perl -e 'for my $f (2, 10) { for my $p (33, 115, 132, 136, 256) { for my $t (1, 2, 5) { exit 0 if syscall(41, $f, $t, $p) >= 0 } } } exit 1'
}

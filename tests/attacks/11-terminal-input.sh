#!/bin/sh
# SPDX-License-Identifier: ISC
# Types into the terminal by TIOCSTI, also with bits above the 32 that the kernel looks at; the filter compares 32 bits.
# where: payload
set -u

attack() {
	perl -e 'my $c = "x"; for my $n (0x5412, 0x541c, 0x100005412, 0xffffffff00005412) { exit 0 if syscall(16, 0, $n, $c) == 0 || $! + 0 != 1 } exit 1' </dev/null
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

#!/bin/sh
# SPDX-License-Identifier: ISC
# Mounts, moves and reconfigures mounts by the old and the new calls; no capabilities, and the filter refuses them.
# where: payload without-control
set -u

attack() {
	perl -e 'for my $c ([165, "none", "/tmp", "tmpfs", 0, 0], [165, "none", "/", "none", 0x1020, 0], [166, "/tmp", 2], [155, "/tmp", "/tmp"],
		[428, -100, "/", 1], [430, "tmpfs", 0], [442, -100, "/", 0, pack("QQQQ", 0, 1, 0, 0), 32]) { exit 0 if syscall($c->[0], @$c[1 .. $#$c]) >= 0 } exit 1' 
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

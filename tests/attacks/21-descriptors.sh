#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks for a descriptor above 2, or a directory behind one of the first process; none is inherited.
# where: payload without-control
set -u

attack() {
	perl -e 'opendir(D, "/proc/self/fd"); my $own = fileno(D) // -1; for (readdir D) { next if /^\./ || $_ <= 2; my $l = readlink("/proc/self/fd/$_");
		next if !defined $l || $l =~ m{^/proc/}; next if $l =~ m{^/dev/null}; print "$_ $l\n"; exit 0 } exit 1' 
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks for a descriptor above 2, but for 10, where this shell keeps its input; none is inherited.
# guarantee: G4
# control: bash -c 'exec 7</home/plain; exec sh -s'

attack() {
	perl -e 'opendir(D, "/proc/$ARGV[0]/fd") or exit 2; for (readdir D) { next if /^\./ || $_ <= 2 || $_ == 10; my $l = readlink("/proc/$ARGV[0]/fd/$_") // next;
		next if $l =~ m{^/proc/}; print "$_ $l\n"; exit 0 } exit 1' $$
}

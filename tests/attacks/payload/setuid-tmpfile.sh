#!/bin/sh
# SPDX-License-Identifier: ISC
# Creates a nameless file with the bit and links it into the workspace; the filter refuses it.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } umask 0; my $fd = call(2, ".", 020200002, 04755); exit 0 if $fd < 0; call(265, -100, "/proc/self/fd/$fd", -100, "setuid-new", 0x400)'
	[ -u setuid-new ]
}

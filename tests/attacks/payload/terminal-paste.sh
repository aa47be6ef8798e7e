#!/bin/sh
# SPDX-License-Identifier: ISC
# Pastes the selection by TIOCLINUX (CVE-2023-28100); the filter refuses it.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(16, 0, 0x541c, my $c = "\3") == 0 || $! + 0 != 1 ? 0 : 1)'
}

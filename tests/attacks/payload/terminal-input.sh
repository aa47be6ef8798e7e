#!/bin/sh
# SPDX-License-Identifier: ISC
# Types into the terminal by TIOCSTI; the filter refuses it before the terminal is asked.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(16, 0, 0x5412, my $c = "x") == 0 || $! + 0 != 1 ? 0 : 1)'
}

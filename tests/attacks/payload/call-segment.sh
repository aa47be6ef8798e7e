#!/bin/sh
# SPDX-License-Identifier: ISC
# Asks for its segments as programs of 16 bits do; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(154, 0, my $s = "x" x 64, 64) < 0 && $! + 0 == 1 ? 1 : 0)'
}

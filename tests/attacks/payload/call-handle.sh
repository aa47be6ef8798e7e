#!/bin/sh
# SPDX-License-Identifier: ISC
# Asks for a handle, by which a file is opened past the fence; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(303, -100, "/usr", pack("Li", 128, 0) . "x" x 128, my $id = "x" x 8, 0) >= 0 || $! + 0 != 1 ? 0 : 1)'
}

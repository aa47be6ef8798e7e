#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a user namespace by clone3, whose flags no filter sees; the call is not there.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } use POSIX; my $p = call(435, pack("Q8", 0x10000000, 0, 0, 0, 17, 0, 0, 0), 64); POSIX::_exit(0) if $p == 0; exit($p > 0 ? 0 : 1)'
}

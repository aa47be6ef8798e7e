#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a user namespace by clone; filter and limit refuse it.
# guarantee: G4

attack() {
	perl -e 'use POSIX; my $p = syscall(56, 0x10000000 | 17, 0, 0, 0, 0); POSIX::_exit(0) if $p == 0; exit($p > 0 ? 0 : 1)'
}

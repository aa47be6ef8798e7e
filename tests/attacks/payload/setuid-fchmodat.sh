#!/bin/sh
# SPDX-License-Identifier: ISC
# Sets the bit by fchmodat and, where the kernel has it, by fchmodat2; the filter refuses it.
# guarantee: G4

attack() {
	cp /bin/sh setuid-copy || return 2
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } call(268, -100, "setuid-copy", 04755); call(452, -100, "setuid-copy", 04755, 0)'
	[ -u setuid-copy ]
}

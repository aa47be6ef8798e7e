#!/bin/sh
# SPDX-License-Identifier: ISC
# Creates a file with the bit by open; the filter refuses it.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } umask 0; call(2, "setuid-new", 0101, 04755)'
	[ -u setuid-new ]
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Creates a file with the bit by mknodat; the filter refuses it.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } umask 0; call(259, -100, "setuid-new", 0104755, 0)'
	[ -u setuid-new ]
}

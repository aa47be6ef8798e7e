#!/bin/sh
# SPDX-License-Identifier: ISC
# Creates a file with the bit by openat2; the filter refuses it.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } umask 0; call(437, -100, "setuid-new", pack("QQQ", 0101, 04755, 0), 24)'
	[ -u setuid-new ]
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Sets the bit through a descriptor; the filter refuses it.
# guarantee: G4

attack() {
	cp /bin/sh setuid-copy || return 2
	perl -e 'open(my $file, "<", "setuid-copy") or exit 2; chmod(04755, $file)'
	[ -u setuid-copy ]
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a setuid copy of a shell by the call of that name; the filter refuses the bit.
# guarantee: G4

attack() {
	cp /bin/sh setuid-copy || return 2
	perl -e 'chmod(04755, "setuid-copy")'
	[ -u setuid-copy ]
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a setuid copy of a shell by chmod(1); the filter refuses the bit.
# guarantee: G4

attack() {
	cp /bin/sh setuid-copy || return 2
	chmod 4755 setuid-copy 2>/dev/null
	[ -u setuid-copy ]
}

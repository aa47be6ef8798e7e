#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a setuid copy by install(1); the filter refuses the bit.
# guarantee: G4

attack() {
	install -m 4755 /bin/sh setuid-copy 2>/dev/null
	[ -u setuid-copy ]
}

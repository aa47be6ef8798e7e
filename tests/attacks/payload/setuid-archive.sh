#!/bin/sh
# SPDX-License-Identifier: ISC
# Unpacks an archive whose member has the bit; the filter refuses it.
# guarantee: G4

attack() {
	cp /bin/sh setuid-copy && tar --mode=4755 -cf setuid.tar setuid-copy && rm setuid-copy || return 2
	tar -xpf setuid.tar 2>/dev/null
	[ -u setuid-copy ]
}

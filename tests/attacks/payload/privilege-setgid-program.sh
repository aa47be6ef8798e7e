#!/bin/sh
# SPDX-License-Identifier: ISC
# Runs a setgid program of the host; no new privileges.
# guarantee: G4

attack() {
	[ -x /usr/local/bin/attacks-setgid ] || return 2
	[ "$(/usr/local/bin/attacks-setgid)" = 0 ]
}

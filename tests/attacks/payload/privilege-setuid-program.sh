#!/bin/sh
# SPDX-License-Identifier: ISC
# Runs a setuid program of the host; no new privileges.
# guarantee: G4

attack() {
	[ -x /usr/local/bin/attacks-setuid ] || return 2
	[ "$(/usr/local/bin/attacks-setuid)" = 0 ]
}

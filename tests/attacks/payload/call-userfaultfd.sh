#!/bin/sh
# SPDX-License-Identifier: ISC
# Handles its own page faults; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'exit(syscall(323, 1) >= 0 ? 0 : 1)'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a ring that does calls behind the filter's back; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'exit(syscall(425, 1, 0) >= 0 || $! + 0 != 38 ? 0 : 1)'
}

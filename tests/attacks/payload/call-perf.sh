#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens a performance counter; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'exit(syscall(298, 0, 0, -1, -1, 0) >= 0 || $! + 0 != 1 ? 0 : 1)'
}

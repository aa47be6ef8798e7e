#!/bin/sh
# SPDX-License-Identifier: ISC
# Loads a program into the kernel; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'exit(syscall(321, 0, 0, 0) >= 0 || $! + 0 != 1 ? 0 : 1)'
}

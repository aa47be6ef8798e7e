#!/bin/sh
# SPDX-License-Identifier: ISC
# Compares kernel objects of two processes; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'exit(syscall(312, $$ + 0, $$ + 0, 0, 0, 0) >= 0 ? 0 : 1)'
}

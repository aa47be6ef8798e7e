#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes what is readable executable; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'exit(syscall(135, 0x400000) >= 0 ? 0 : 1)'
}

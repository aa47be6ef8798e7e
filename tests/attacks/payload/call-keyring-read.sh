#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks into the keyrings of the account; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'exit(syscall(250, 0, -4, 1, 0, 0) >= 0 ? 0 : 1)'
}

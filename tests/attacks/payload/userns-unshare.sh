#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a user namespace by unshare; filter and limit refuse it.
# guarantee: G4

attack() {
	perl -e 'exit(syscall(272, 0x10000000) == 0 ? 0 : 1)'
}

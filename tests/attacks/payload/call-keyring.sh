#!/bin/sh
# SPDX-License-Identifier: ISC
# Adds a key to a keyring, which no namespace parts; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(248, "user", "stockade", "b", 1, -3) >= 0 ? 0 : 1)'
}

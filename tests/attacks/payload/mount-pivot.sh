#!/bin/sh
# SPDX-License-Identifier: ISC
# Changes the root (pivot_root); the filter refuses the call.
# guarantee: G4
# control: unshare -Urm

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(155, "/", "/") == 0 || $! + 0 != 1 ? 0 : 1)'
}

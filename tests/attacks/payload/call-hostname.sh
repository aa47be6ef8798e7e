#!/bin/sh
# SPDX-License-Identifier: ISC
# Changes the host name; the filter refuses the call.
# guarantee: G4
# control: unshare -Uru

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(170, "a", 1) == 0 ? 0 : 1)'
}

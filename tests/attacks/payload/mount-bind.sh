#!/bin/sh
# SPDX-License-Identifier: ISC
# Binds a tree elsewhere; no capability, and the filter refuses the call.
# guarantee: G1
# control: unshare -Urm

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } mkdir "m"; exit(call(165, "/usr", "m", "none", 4096, 0) == 0 ? 0 : 1)'
}

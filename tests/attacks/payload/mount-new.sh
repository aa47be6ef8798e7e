#!/bin/sh
# SPDX-License-Identifier: ISC
# Mounts a file system; no capability, and the filter refuses the call.
# guarantee: G4
# control: unshare -Urm

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } mkdir "m"; exit(call(165, "none", "m", "tmpfs", 0, 0) == 0 ? 0 : 1)'
}

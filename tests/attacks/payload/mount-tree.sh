#!/bin/sh
# SPDX-License-Identifier: ISC
# Clones a tree of mounts (open_tree); the filter refuses the call.
# guarantee: G4
# control: unshare -Urm

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(428, -100, "/usr", 0x8001) >= 0 ? 0 : 1)'
}

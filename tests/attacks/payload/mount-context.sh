#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens a file system context (fsopen); the filter refuses the call.
# guarantee: G4
# control: unshare -Urm

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(430, "tmpfs", 0) >= 0 ? 0 : 1)'
}

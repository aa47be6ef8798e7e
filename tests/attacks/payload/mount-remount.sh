#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a read-only mount writable; no capability, and the filter refuses the call.
# guarantee: G1
# control: unshare -Urm

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } mkdir "m"; call(165, "none", "/tmp", "tmpfs", 1, 0); exit(call(165, "none", "/tmp", "none", 0x20, 0) == 0 ? 0 : 1)'
}

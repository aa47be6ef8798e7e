#!/bin/sh
# SPDX-License-Identifier: ISC
# Changes the attributes of a mount (mount_setattr); the filter refuses the call.
# guarantee: G1
# control: unshare -Urm

attack() {
	perl -e 'sub call { my ($number, @words) = @_; syscall($number, @words) } exit(call(442, -100, "/", 0, pack("QQQQ", 2, 0, 0, 0), 32) == 0 || $! + 0 != 1 ? 0 : 1)'
}

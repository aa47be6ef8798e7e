#!/bin/sh
# SPDX-License-Identifier: ISC
# Takes away a mount that hides something; no capability, and the filter refuses the call.
# guarantee: G1
# control: unshare -Urm sh -c 'mount -t tmpfs none /mnt && exec sh -s'

attack() {
	perl -e 'for (reverse split /\n/, `cut -d" " -f5 /proc/self/mountinfo`) { exit 0 if syscall(166, $_, 2) == 0 } exit 1'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a device node; the capability is not there.
# guarantee: G4
# control: root

attack() {
	rm -f attacks-node
	mknod attacks-node c 1 3 2>/dev/null || return 1
	rm -f attacks-node
}

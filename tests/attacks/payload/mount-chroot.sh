#!/bin/sh
# SPDX-License-Identifier: ISC
# Changes its root directory; no capability.
# guarantee: G4
# control: unshare -Ur

attack() {
	perl -e 'exit(chroot("/") ? 0 : 1)'
}

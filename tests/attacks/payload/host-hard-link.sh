#!/bin/sh
# SPDX-License-Identifier: ISC
# Links a file of the account's home into the workspace; there is none to name.
# guarantee: G1

attack() {
	rm -f attacks-link
	ln "/home/$(id -un)/attacks-host" attacks-link 2>/dev/null || return 1
}

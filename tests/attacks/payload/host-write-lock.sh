#!/bin/sh
# SPDX-License-Identifier: ISC
# Writes into /run/lock, where everybody may; /run is read-only.
# guarantee: G1

attack() {
	(: >"/run/lock/attacks-written-$(id -un)") 2>/dev/null || return 1
}

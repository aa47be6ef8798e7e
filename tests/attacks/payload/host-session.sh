#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks for what another session of the account has in its /tmp and HOME; no session sees another.
# guarantee: G5

attack() {
	[ -n "$(find / -name "attacks-session-$(id -un)" 2>/dev/null | head -n 1)" ]
}

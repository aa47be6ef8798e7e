#!/bin/sh
# SPDX-License-Identifier: ISC
# Writes where everybody may on the host; only the workspace and private directories can be written.
# guarantee: G1

attack() {
	(: >"/srv/attacks/written-$(id -un)") 2>/dev/null || return 1
}

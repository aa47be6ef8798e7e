#!/bin/sh
# SPDX-License-Identifier: ISC
# Writes where the account itself could write on the host; only the workspace is writable.
# where: payload
set -u

attack() {
	for place in /run/user/$(id -u) /srv/stockade-attacks; do (: >"$place/stockade-attacks-$(id -un)") 2>/dev/null && return 0; done
	return 1
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

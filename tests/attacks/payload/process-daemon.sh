#!/bin/sh
# SPDX-License-Identifier: ISC
# Leaves a daemon behind that ignores signals; the run is ended whole.
# guarantee: G9 at every grade
# alone

attack() {
	setsid sh -c 'trap "" HUP TERM INT; exec sleep 8642' >/dev/null 2>&1 </dev/null &
	return 0
}
# As root, when the command has ended.
after() {
	sleep 0.3
	# shellcheck disable=SC2154
	pgrep -u "$target" -f '^sleep 8642' >/dev/null || return 1
}

#!/bin/bash
# SPDX-License-Identifier: ISC
# Kills the gateway while it sets up; nothing runs without its record. The control is a chain that is released by a close.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	local try runner
	if [ "$mode" = control ]; then
		(sleep 0.2 | runuser -u plain -- bwrap --dev-bind / / --block-fd 0 touch "$marker")
		[ -e "$marker" ]
		return
	fi
	for try in $(seq 0 25 250); do
		rm -f "$marker"
		SSH_ORIGINAL_COMMAND="touch $marker; : try-$try" runuser -u build -- /usr/bin/stockade-gateway >/dev/null 2>&1 &
		runner=$!
		sleep "$(printf '0.%03d' "$try")"
		pkill -9 -u build -x stockade-gatewa
		wait $runner 2>/dev/null
		sleep 0.3
		[ -e "$marker" ] || continue
		journalctl --sync
		journalctl -q -t stockade -o cat -n 50 | grep '^start' | grep -q "try-$try\"" || return 0
	done
	return 1
}

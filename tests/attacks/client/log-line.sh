#!/bin/bash
# SPDX-License-Identifier: ISC
# Writes a record of its own by a newline in the command; the control looks at a log that escapes nothing.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	local text=$'true\nend session=forged'"$mode"$' user=build actor=root by=payload exit=0'
	if [ "$mode" = control ]; then runuser -u plain -- logger -t stockade "$text"; else s "$text"; fi
	sleep 0.2
	journalctl --sync
	journalctl -q -t stockade -o cat -n 20 | grep -q "^end session=forged$mode" || return 1
}

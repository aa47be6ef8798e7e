#!/bin/bash
# SPDX-License-Identifier: ISC
# Writes to another terminal of the account; only the run's own is there.
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	local other
	target=$target new -tt 'tty; sleep 8646' >/tmp/attacks-tty 2>/dev/null </dev/zero &
	wait_for eval 'grep -q /dev/pts /tmp/attacks-tty && pgrep -u "$target" -f "^sleep 8646"' >/dev/null
	# The terminals of the account that the host knows.
	other=$(find /dev/pts -user "$target" -name '[0-9]*')
	s "for t in $(echo $other); do echo attacks-typed >\$t; done; true" 2>/dev/null
	sleep 0.3
	pkill -u "$target" -f '^sleep 8646'
	wait
	grep -q attacks-typed /tmp/attacks-tty || return 1
}

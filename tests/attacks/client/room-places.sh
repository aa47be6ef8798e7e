#!/bin/bash
# SPDX-License-Identifier: ISC
# Takes more places at once than the account has.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	with '[account]' "sessions_max = $([ "$mode" = attack ] && echo 2 || echo 9)"
}
attack() {
	for _ in 1 2; do s 'sleep 8645' & done
	wait_for eval '[ "$(pgrep -u build -xc sleep)" -ge 3 ]' || echo 'two did not start'
	s 'touch marker'
	pkill -u build -f '^sleep 8645'
	wait
	[ -e "$marker" ]
}

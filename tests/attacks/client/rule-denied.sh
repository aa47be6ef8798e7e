#!/bin/bash
# SPDX-License-Identifier: ISC
# An allowed command with an argument that a rule denies: what is denied goes first.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'make = make ...' 'echo = echo ...' '[deny]' 'evil = make *--eval* ...'; }
attack() {
	s 'make --eval="x:; touch marker" x'
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/make" "$dir/lib.so"; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# The denied argument in pieces.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'make = make ...' 'echo = echo ...' '[deny]' 'evil = make *--eval* ...'; }
attack() {
	s 'make "--ev""al=x:; touch marker" x'
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/make" "$dir/lib.so"; }

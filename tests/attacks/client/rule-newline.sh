#!/bin/bash
# SPDX-License-Identifier: ISC
# A newline (ghantoos/lshell#149).
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'make = make ...' 'echo = echo ...'; }
attack() {
	s $'echo a\ntouch marker'
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/make" "$dir/lib.so"; }

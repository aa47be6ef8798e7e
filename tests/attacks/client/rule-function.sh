#!/bin/bash
# SPDX-License-Identifier: ISC
# A function of an allowed name (ghantoos/lshell#151).
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'make = make ...' 'echo = echo ...'; }
attack() {
	s 'echo () { touch marker; }; echo'
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/make" "$dir/lib.so"; }

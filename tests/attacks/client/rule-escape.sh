#!/bin/bash
# SPDX-License-Identifier: ISC
# A name with a backslash in it.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'make = make ...' 'echo = echo ...'; }
attack() {
	s 't\ouch marker'
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/make" "$dir/lib.so"; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# A pipe into what is not allowed.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'make = make ...' 'echo = echo ...'; }
attack() {
	s 'echo marker | xargs touch'
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/make" "$dir/lib.so"; }

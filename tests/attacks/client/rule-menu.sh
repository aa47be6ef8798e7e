#!/bin/bash
# SPDX-License-Identifier: ISC
# More behind the name of a menu entry.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'make = make ...' 'echo = echo ...' '[menu]' 'deploy = echo deployed'; }
attack() {
	s 'deploy; touch marker'
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/make" "$dir/lib.so"; }

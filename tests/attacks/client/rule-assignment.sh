#!/bin/bash
# SPDX-License-Identifier: ISC
# An assignment before the command (CVE-2012-3478).
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'make = make ...' 'echo = echo ...'; }
attack() {
	s 'PATH=.:$PATH touch marker'
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/make" "$dir/lib.so"; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# awk runs a shell; it is inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'tool = awk ...'; }
attack() {
	said=$(s "awk 'BEGIN { system(\"echo started; cat /home/$target/attacks-host\") }'" 2>&1)
	case $said in *started*) ;; *) echo "the tool started no shell: $said" && return 2 ;; esac
	case $said in *secret*) return 0 ;; esac
	return 1
}

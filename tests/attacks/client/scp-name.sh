#!/bin/bash
# SPDX-License-Identifier: ISC
# A file name that is a command for a shell on the far side (CVE-2020-15778).
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	client scp -q -O "${options[@]}" /etc/hostname "$target@127.0.0.1:\`touch $outside\`x"
	[ -e $outside ]
}
cleanup() { rm -f "$dir/x" "/home/$target/x"; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# Has the account's own home be the workspace, where its start-up files are.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	with
	[ "$mode" = control ] || sed -i 's|^path = .*|path = /home/build|' $profiles/build.ini
}
attack() {
	s 'touch marker /home/build/marker 2>/dev/null'
	[ -e "$marker" ] || [ -e /home/build/marker ]
}
cleanup() { rm -f /home/build/marker; }

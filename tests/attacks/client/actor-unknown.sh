#!/bin/bash
# SPDX-License-Identifier: ISC
# Logs in with a key that is nobody's; the control is the same with a key that is somebody's.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	key=SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
	[ "$mode" = attack ] || key=$(ssh-keygen -l -f /home/client/.ssh/id_ed25519.pub | cut -d' ' -f2)
	with '[actors]' "alice = $key"
}
attack() {
	new 'touch marker'
	[ -e "$marker" ]
}

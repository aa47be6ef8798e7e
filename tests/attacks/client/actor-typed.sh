#!/bin/bash
# SPDX-License-Identifier: ISC
# Types the form of the gateway that names an actor; that counts in its own words only.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	with '[actors]' 'alice = SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' '[account]' 'actor = optional'
	mkdir -p $profiles/build.d
	printf '[command]\nlogin_shell = /bin/true\n[env]\nset = I_AM_ALICE=1\n' >$profiles/build.d/alice.ini
}
attack() {
	if [ "$mode" = attack ]; then
		mark
		new 'exec /usr/bin/stockade-gateway --as alice' </dev/null
		runuser -u build -- /usr/bin/stockade-gateway -c 'exec /usr/bin/stockade-gateway --as alice' </dev/null
		records start | grep -q 'actor=alice'
	else
		SSH_ORIGINAL_COMMAND="env" runuser -u build -- /usr/bin/stockade-gateway --as alice | grep -q I_AM_ALICE
	fi
}
cleanup() { rm -rf $profiles/build.d; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# Has the gateway run a command as root.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	printf '%s\n' "$(cat /etc/stockade/build.default)" >$profiles/root.ini
}
attack() {
	if [ "$mode" = control ]; then runuser -u build -- /usr/bin/stockade-gateway -c 'touch marker'; else /usr/bin/stockade-gateway -c 'touch marker'; fi
	[ -e "$marker" ]
}
cleanup() { rm -f $profiles/root.ini; }

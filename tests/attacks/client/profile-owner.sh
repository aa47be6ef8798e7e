#!/bin/bash
# SPDX-License-Identifier: ISC
# A profile that belongs to the account.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	[ "$mode" = control ] || { chown build $profiles/build.ini; }
}
attack() {
	runuser -u build -- /usr/bin/stockade-gateway -c 'touch marker'
	[ -e "$marker" ]
}
cleanup() {
	chmod 755 $profiles && chown root:root $profiles
	rm -f $profiles/build.ini /etc/stockade/real.ini
	default_profile
	chown root:root $profiles/build.ini && chmod 644 $profiles/build.ini
}

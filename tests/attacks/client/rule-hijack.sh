#!/bin/bash
# SPDX-License-Identifier: ISC
# A program of its own by the name of an allowed one, in the directory that commands start in.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'make = make ...'; }
attack() {
	printf '#!/bin/sh\ntouch /srv/work/build/marker\n' >"$dir/make" && chmod 755 "$dir/make"
	if [ "$mode" = attack ]; then s 'make all'; else s 'PATH=.:$PATH make all'; fi
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/make"; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# Has rsync start a program as its remote shell (-e, CVE-2012-2251); the rule knows the server only.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'sync = rsync --server ...'; }
attack() {
	printf '#!/bin/sh\ntouch /srv/work/build/marker\n' >"$dir/program" && chmod 755 "$dir/program"
	s "rsync -e $dir/program a:b ."
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/program"; }

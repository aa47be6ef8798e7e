#!/bin/bash
# SPDX-License-Identifier: ISC
# Has scp start a program (-S, CVE-2019-1000018); the rule knows the two server forms only.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'put = scp -t *' 'get = scp -f *'; }
attack() {
	printf '#!/bin/sh\ntouch /srv/work/build/marker\n' >"$dir/program" && chmod 755 "$dir/program"
	s "scp -S $dir/program a:b ."
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/program"; }

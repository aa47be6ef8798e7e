#!/bin/bash
# SPDX-License-Identifier: ISC
# Has sshd open a display on the host (-X, CVE-2016-3115).
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	for program in /usr/bin/xauth /usr/bin/X11/xauth; do mkdir -p "${program%/*}" && printf '#!/bin/sh\nexit 0\n' >$program && chmod 755 $program; done
}
attack() {
	DISPLAY=:77 away -X -o ForwardX11Trusted=yes 'sleep 2'
	until ss -ltn | grep -q '127.0.0.1:60[0-9][0-9]'; do kill -0 $! || return 1; done 2>/dev/null
	kill $!
}
cleanup() { rm -f /usr/bin/xauth /usr/bin/X11/xauth; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# A program of its own by the name of the sftp server.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'make = make ...'; }
attack() {
	s 'true'
	printf '#!/bin/sh\ntouch /srv/work/build/marker\n' >"$dir/sftp-server" && cp "$dir/sftp-server" "$dir/server" && chmod 755 "$dir/sftp-server" "$dir/server"
	if [ "$mode" = attack ]; then s "$dir/sftp-server" </dev/null; else s "$dir/server"; fi
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/sftp-server" "$dir/server"; }

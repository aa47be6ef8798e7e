#!/bin/bash
# SPDX-License-Identifier: ISC
# Names another program as the rsync of the far side (CVE-2019-3463).
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { rules '[allow]' 'sync = rsync --server ...'; }
attack() {
	client rsync -e "ssh ${options[*]}" --rsync-path='touch /srv/work/build/marker; rsync' /etc/hostname "$target@127.0.0.1:$dir/x"
	[ -e "$marker" ]
}
cleanup() { rm -f "$dir/x"; }

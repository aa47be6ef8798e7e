#!/bin/bash
# SPDX-License-Identifier: ISC
# Has rsync serve what a configuration of its own names (CVE-2019-3464 and its like); it is inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'sync = rsync --server ...'; }
attack() {
	local cwd=$dir
	rm -rf /home/client/fetched
	# Where the far side of a daemon over ssh looks: in the directory that the command starts in.
	[ "$mode" = attack ] || cwd=/home/plain
	printf 'use chroot = no\n[all]\npath = /home/%s\nread only = yes\n' "$target" >"$cwd/rsyncd.conf"
	client rsync -e "ssh ${options[*]}" "$target@127.0.0.1::all/attacks-host" /home/client/fetched
	[ -s /home/client/fetched ]
}
cleanup() { rm -rf "$dir/rsyncd.conf" /home/plain/rsyncd.conf /home/client/fetched; }

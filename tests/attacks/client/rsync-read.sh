#!/bin/bash
# SPDX-License-Identifier: ISC
# Fetches a file of the account's home by rsync; the server is inside.
# guarantee: G5
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'sync = rsync --server ...'; }
attack() {
	rm -f /home/client/fetched
	client rsync -e "ssh ${options[*]}" "$target@127.0.0.1:/home/$target/attacks-host" /home/client/fetched
	[ -e /home/client/fetched ]
}

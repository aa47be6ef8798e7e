#!/bin/bash
# SPDX-License-Identifier: ISC
# Fetches a file of the account's home by the old scp protocol; the server is inside.
# guarantee: G5
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'get = scp -f ...'; }
attack() {
	rm -f /home/client/fetched
	client scp -q -O "${options[@]}" "$target@127.0.0.1:/home/$target/attacks-host" /home/client/fetched
	[ -e /home/client/fetched ]
}

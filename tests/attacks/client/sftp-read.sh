#!/bin/bash
# SPDX-License-Identifier: ISC
# Fetches a file of the account's home by sftp; the server is inside.
# guarantee: G5
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	rm -f /home/client/fetched
	client sftp -q -b - "${options[@]}" "$target@127.0.0.1" <<<"get /home/$target/attacks-host /home/client/fetched"
	[ -e /home/client/fetched ]
}

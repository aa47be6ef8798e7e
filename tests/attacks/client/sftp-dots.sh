#!/bin/bash
# SPDX-License-Identifier: ISC
# Climbs out of the workspace by dots; the root above it is the fence.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	rm -f /home/client/fetched
	client sftp -q -b - "${options[@]}" "$target@127.0.0.1" <<<"get $dir/../../../home/$target/attacks-host /home/client/fetched"
	[ -e /home/client/fetched ]
}

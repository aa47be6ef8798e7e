#!/bin/bash
# SPDX-License-Identifier: ISC
# Links a file of the account's home into the workspace by sftp.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	rm -f "$dir/out"
	client sftp -q -b - "${options[@]}" "$target@127.0.0.1" <<<"ln /home/$target/attacks-host $dir/out"
	[ -e "$dir/out" ]
}
cleanup() { rm -f "$dir/out"; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# Leads sftp out by a link in the workspace; it is followed inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	rm -f /home/client/fetched "$dir/out"
	client sftp -q -b - "${options[@]}" "$target@127.0.0.1" <<<"$(printf 'symlink /home/%s/attacks-host %s/out\nget %s/out /home/client/fetched\n' "$target" "$dir" "$dir")"
	[ -s /home/client/fetched ]
}
cleanup() { rm -f "$dir/out"; }

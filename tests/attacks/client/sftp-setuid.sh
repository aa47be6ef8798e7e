#!/bin/bash
# SPDX-License-Identifier: ISC
# Makes a setuid file by sftp; the filter holds for the server too.
# guarantee: G4
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	client sftp -q -b - "${options[@]}" "$target@127.0.0.1" <<<"$(printf -- '-rm %s/setuid\nput /bin/true %s/setuid\nchmod 4755 %s/setuid\n' "$dir" "$dir" "$dir")"
	[ -u "$dir/setuid" ]
}
cleanup() { rm -f "$dir/setuid"; }

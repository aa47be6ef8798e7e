#!/bin/bash
# SPDX-License-Identifier: ISC
# Hands a descriptor of a directory through to the command.
# guarantee: G4
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	local gateway=()
	[ "$mode" = control ] || gateway=(/usr/bin/stockade-gateway -c)
	[ "$mode" = attack ] || gateway=(sh -c)
	# shellcheck disable=SC2016
	runuser -u "$target" -- bash -c 'exec 9</home/$1 && shift && exec "$@"' bash "$target" "${gateway[@]}" 'ls /proc/self/fd/9/' 2>/dev/null | grep -q attacks-host
}

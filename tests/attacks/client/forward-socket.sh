#!/bin/bash
# SPDX-License-Identifier: ISC
# Reaches a socket of the host through the connection (stream-local -L).
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	away -N -L 7804:/run/stockade-attacks.sock
	within=20 wait_for eval 'exec 9<>/dev/tcp/127.0.0.1/7804' 2>/dev/null && read -t 5 -r banner <&9
	kill $!
	[ "${banner:-}" = attacks-banner ]
}

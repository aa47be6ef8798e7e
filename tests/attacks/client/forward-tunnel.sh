#!/bin/bash
# SPDX-License-Identifier: ISC
# Opens a tunnel device on the host (-w).
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	ip tuntap add tun77 mode tun user "$target"
	ip tuntap add tun78 mode tun user client
}
attack() {
	ip link set tun77 up
	away -o ExitOnForwardFailure=yes -w 78:77 'sleep 2'
	until ip -o link show tun77 | grep -q LOWER_UP; do kill -0 $! || return 1; done 2>/dev/null
	kill $!
}
cleanup() {
	ip link del tun77
	ip link del tun78
}

#!/bin/bash
# SPDX-License-Identifier: ISC
# Reaches a service of the host through a proxy in sshd (-D).
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	away -N -D 7802
	within=20 wait_for eval 'exec 9<>/dev/tcp/127.0.0.1/7802' 2>/dev/null
	exec 9>&-
	banner=$(timeout 10 socat - SOCKS4:127.0.0.1:127.0.0.1:7777,socksport=7802 2>/dev/null)
	kill $!
	[ "$banner" = attacks-banner ]
}

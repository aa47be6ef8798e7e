#!/bin/bash
# SPDX-License-Identifier: ISC
# Reaches a service of the host through the connection (-L).
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	away -N -L 7801:127.0.0.1:7777
	within=20 wait_for eval 'exec 9<>/dev/tcp/127.0.0.1/7801' 2>/dev/null && read -t 5 -r banner <&9
	kill $!
	[ "${banner:-}" = attacks-banner ]
}

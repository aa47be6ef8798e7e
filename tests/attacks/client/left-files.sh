#!/bin/bash
# SPDX-License-Identifier: ISC
# Leaves files in every private place; nothing of them is there when the connection is closed.
# guarantee: G5
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	new 'for place in /tmp /var/tmp ~ /dev/shm; do mkdir -p $place/attacks-left/sub; touch $place/attacks-left/sub/file; chmod 000 $place/attacks-left; done'
	sleep 0.5
	[ -n "$(find /tmp /var/tmp /dev/shm /home /var/lib/stockade -name attacks-left 2>/dev/null | head -n 1)" ]
}
cleanup() { rm -rf /tmp/attacks-left /var/tmp/attacks-left /dev/shm/attacks-left /home/plain/attacks-left; }

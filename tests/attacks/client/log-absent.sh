#!/bin/bash
# SPDX-License-Identifier: ISC
# Runs while nothing can be logged.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { mv /run/systemd/journal/dev-log /run/systemd/journal/away; }
attack() {
	s "touch $dir/marker"
	[ -e "$marker" ]
}
cleanup() { mv /run/systemd/journal/away /run/systemd/journal/dev-log; }

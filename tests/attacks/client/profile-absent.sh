#!/bin/bash
# SPDX-License-Identifier: ISC
# No profile at all: that is no permission.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	[ "$mode" = control ] || { rm $profiles/build.ini; }
}
attack() { runs_a_marker; }
cleanup() { mend_profiles; }

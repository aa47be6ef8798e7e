#!/bin/bash
# SPDX-License-Identifier: ISC
# A profile that belongs to the account.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	[ "$mode" = control ] || { chown build $profiles/build.ini; }
}
attack() { runs_a_marker; }
cleanup() { mend_profiles; }

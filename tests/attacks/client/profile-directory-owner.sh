#!/bin/bash
# SPDX-License-Identifier: ISC
# A directory of profiles that belongs to the account.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	[ "$mode" = control ] || { chown build $profiles; }
}
attack() { runs_a_marker; }
cleanup() { mend_profiles; }

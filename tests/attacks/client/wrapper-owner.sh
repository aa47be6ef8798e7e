#!/bin/bash
# SPDX-License-Identifier: ISC
# A bwrap that belongs to the account.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	forge_bwrap
	[ "$mode" = control ] || { chown build /opt/attacks/bwrap; }
}
attack() { runs_forged_bwrap; }
cleanup() { remove_forged_bwrap; }

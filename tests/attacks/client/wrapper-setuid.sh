#!/bin/bash
# SPDX-License-Identifier: ISC
# A setuid bwrap (CVE-2020-5291).
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	forge_bwrap
	[ "$mode" = control ] || { chmod 4755 /opt/attacks/bwrap; }
}
attack() { runs_forged_bwrap; }
cleanup() { remove_forged_bwrap; }

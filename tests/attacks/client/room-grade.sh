#!/bin/bash
# SPDX-License-Identifier: ISC
# Runs where the host can give less than the account requires.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	with
	[ "$mode" = control ] || sed -i '/^min_grade/d' $profiles/build.ini
}
attack() {
	[ "$mode" = control ] || grep -q best-effort $profiles/build.ini || { ulimit -n 9 && return 1; }
	s 'touch marker'
	[ -e "$marker" ]
}

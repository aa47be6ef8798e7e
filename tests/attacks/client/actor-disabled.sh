#!/bin/bash
# SPDX-License-Identifier: ISC
# Runs a command on an account that is disabled.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	[ "$mode" = control ] || sed -i 's/^\[profile\]/&\nenabled = no/' $profiles/build.ini
}
attack() {
	s 'touch marker'
	[ -e "$marker" ]
}

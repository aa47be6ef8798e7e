#!/bin/bash
# SPDX-License-Identifier: ISC
# A profile behind a link.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	[ "$mode" = control ] || { mv $profiles/build.ini /etc/stockade/real.ini && ln -s ../real.ini $profiles/build.ini; }
}
attack() { runs_a_marker; }
cleanup() { mend_profiles; }

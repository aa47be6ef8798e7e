#!/bin/bash
# SPDX-License-Identifier: ISC
# A second command behind a separator; both are inside.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	s 'true; touch /srv/attacks/marker'
	[ -e $outside ]
}

#!/bin/bash
# SPDX-License-Identifier: ISC
# A second command on a second line; both are inside.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	s $'true\ntouch /srv/attacks/marker'
	[ -e $outside ]
}

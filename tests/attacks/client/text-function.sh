#!/bin/bash
# SPDX-License-Identifier: ISC
# A function definition with a tail (CVE-2014-6271); no shell imports it.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	new 'bash -c "f='"'"'() { :;}'"'"'; touch /srv/attacks/marker"'
	[ -e $outside ]
}

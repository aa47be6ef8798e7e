#!/bin/bash
# SPDX-License-Identifier: ISC
# Specifiers of a unit file in the command; systemd never sees it.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	s 'touch /srv/attacks/marker %h %%'
	[ -e $outside ]
}

#!/bin/bash
# SPDX-License-Identifier: ISC
# A substitution in the command; no shell outside sees it.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	s 'echo $(touch /srv/attacks/marker)'
	[ -e $outside ]
}

#!/bin/bash
# SPDX-License-Identifier: ISC
# Plants ~/.profile from inside, to be run outside by the login shell.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	s 'cp -p ~/.profile ~/.profile.saved 2>/dev/null; echo "touch /srv/attacks/marker" >~/.profile'
	new -T </dev/null
	[ -e $outside ]
}
cleanup() { s 'rm -f ~/.profile; mv ~/.profile.saved ~/.profile 2>/dev/null'; }

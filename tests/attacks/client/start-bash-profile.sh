#!/bin/bash
# SPDX-License-Identifier: ISC
# Plants ~/.bash_profile from inside, to be run outside by the login shell.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	s 'cp -p ~/.bash_profile ~/.bash_profile.saved 2>/dev/null; echo "touch /srv/attacks/marker" >~/.bash_profile'
	new -T </dev/null
	[ -e $outside ]
}
cleanup() { s 'rm -f ~/.bash_profile; mv ~/.bash_profile.saved ~/.bash_profile 2>/dev/null'; }

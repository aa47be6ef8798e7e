#!/bin/bash
# SPDX-License-Identifier: ISC
# Plants ~/.bashrc from inside, to be run outside by the login shell.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	s 'cp -p ~/.bashrc ~/.bashrc.saved 2>/dev/null; echo "touch /srv/attacks/marker" >~/.bashrc'
	new true </dev/null
	[ -e $outside ]
}
cleanup() { s 'rm -f ~/.bashrc; mv ~/.bashrc.saved ~/.bashrc 2>/dev/null'; }

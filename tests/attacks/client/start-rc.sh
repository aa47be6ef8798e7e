#!/bin/bash
# SPDX-License-Identifier: ISC
# Plants ~/.ssh/rc from inside, to be run outside by sshd (CVE-2008-1657).
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	s 'mkdir -p ~/.ssh; echo "touch /srv/attacks/marker" >~/.ssh/rc'
	new true
	[ -e $outside ]
}
cleanup() { s 'rm -f ~/.ssh/rc'; }

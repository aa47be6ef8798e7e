#!/bin/bash
# SPDX-License-Identifier: ISC
# Has sshd make a socket on the host (stream-local -R).
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	rm -f /srv/attacks/remote.sock
	away -o ExitOnForwardFailure=yes -R /srv/attacks/remote.sock:127.0.0.1:7777 sleep 3
	until [ -S /srv/attacks/remote.sock ]; do kill -0 $! || return 1; done 2>/dev/null
	kill $!
	rm -f /srv/attacks/remote.sock
}

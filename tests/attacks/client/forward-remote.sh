#!/bin/bash
# SPDX-License-Identifier: ISC
# Has sshd listen on the host (-R).
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	away -o ExitOnForwardFailure=yes -R 7803:127.0.0.1:7777 sleep 3
	until ss -ltn | grep -q :7803; do kill -0 $! || return 1; done 2>/dev/null
	kill $!
}

#!/bin/bash
# SPDX-License-Identifier: ISC
# Plants ~/.ssh/environment from inside; sshd is told to read such files.
# guarantee: G3
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	s 'mkdir -p ~/.ssh; echo ATTACKS_PLANTED=1 >~/.ssh/environment'
	new 'env; cat /proc/*/environ 2>/dev/null' | grep -aq ATTACKS_PLANTED
}
cleanup() { s 'rm -f ~/.ssh/environment'; }

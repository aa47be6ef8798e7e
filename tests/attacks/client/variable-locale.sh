#!/bin/bash
# SPDX-License-Identifier: ISC
# Sends a locale that is a path (CVE-2014-0475); sshd accepts LC_*, the fence does not.
# guarantee: G3
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	new -o SetEnv=LC_ALL=../../../srv/attacks 'env; cat /proc/*/environ 2>/dev/null' | grep -aq srv/attacks
}

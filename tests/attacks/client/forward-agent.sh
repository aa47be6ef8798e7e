#!/bin/bash
# SPDX-License-Identifier: ISC
# Leaves an agent's socket on the host for others of the account (-A, CVE-2023-38408).
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	eval "$(client ssh-agent -s -a /tmp/attacks-agent)" >/dev/null
	[ -n "$(SSH_AUTH_SOCK=/tmp/attacks-agent new -A 'find /tmp /run -name "agent.*" ! -path "/tmp/ssh-attacks/*" -type s 2>/dev/null; echo "$SSH_AUTH_SOCK"')" ] ||
		[ -n "$(find /tmp -path '/tmp/ssh-*' ! -path '/tmp/ssh-attacks*' -name 'agent.*' -user "$target")" ]
	status=$?
	kill "$SSH_AGENT_PID"
	return $status
}

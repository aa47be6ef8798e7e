#!/bin/bash
# SPDX-License-Identifier: ISC
# Sends SSH_ORIGINAL_COMMAND, which the gateway would take for the request.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	[ "$mode" = control ] || return 0
	# What sshd itself would say of the request does not come with a gateway that is called plainly.
	new() { runuser -u build -- env SSH_ORIGINAL_COMMAND="touch $dir/marker" /usr/bin/stockade-gateway; }
}
attack() {
	new -o "SetEnv=SSH_ORIGINAL_COMMAND=touch $dir/marker" true
	[ -e "$marker" ]
}

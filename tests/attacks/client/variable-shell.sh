#!/bin/bash
# SPDX-License-Identifier: ISC
# Sends BASH_ENV, for a shell on the way to the command.
# guarantee: G3
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	echo 'touch /srv/attacks/marker' >/srv/attacks/bash-env
	new -o SetEnv=BASH_ENV=/srv/attacks/bash-env 'env -u SSH_CLIENT bash -c true'
	[ -e $outside ]
}

#!/bin/bash
# SPDX-License-Identifier: ISC
# Shows the gateway a forged note of sshd's from the workspace.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	with '[actors]' "alice = $(ssh-keygen -l -f /home/client/.ssh/id_ed25519.pub | cut -d' ' -f2)"
	note=/tmp/sshauth.attacks
	[ "$mode" = control ] || note=/srv/work/build/sshauth.attacks
	rm -f $note
	printf 'publickey %s\n' "$(cut -d' ' -f1,2 /home/client/.ssh/id_ed25519.pub)" >$note
	chmod 600 $note && chown build $note
}
attack() {
	SSH_USER_AUTH=$note runuser -u build -- /usr/bin/stockade-gateway -c 'touch marker'
	[ -e "$marker" ]
}
cleanup() { rm -f $note; }

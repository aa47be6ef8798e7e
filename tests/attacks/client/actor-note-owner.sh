#!/bin/bash
# SPDX-License-Identifier: ISC
# Shows the gateway a forged note of sshd's, of another account; the control is one that sshd could have made.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	with '[actors]' "alice = $(ssh-keygen -l -f /home/client/.ssh/id_ed25519.pub | cut -d' ' -f2)"
	note=/tmp/sshauth.attacks
	rm -f $note
	printf 'publickey %s\n' "$(cut -d' ' -f1,2 /home/client/.ssh/id_ed25519.pub)" >$note
	chmod 600 $note && chown build $note
	[ "$mode" = control ] || { chown plain "$note" && chmod 644 "$note"; }
}
attack() {
	SSH_USER_AUTH=$note runuser -u build -- /usr/bin/stockade-gateway -c 'touch marker'
	[ -e "$marker" ]
}
cleanup() { rm -f $note /tmp/attacks-second; }

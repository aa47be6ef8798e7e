#!/bin/bash
# SPDX-License-Identifier: ISC
# Shows the gateway a note of sshd's through a link.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	with '[actors]' "alice = $(ssh-keygen -l -f /home/client/.ssh/id_ed25519.pub | cut -d' ' -f2)"
	note=/tmp/sshauth.attacks
	rm -f $note /tmp/sshauth.real
	printf 'publickey %s\n' "$(cut -d' ' -f1,2 /home/client/.ssh/id_ed25519.pub)" >/tmp/sshauth.real
	chmod 600 /tmp/sshauth.real && chown build /tmp/sshauth.real
	if [ "$mode" = control ]; then mv /tmp/sshauth.real $note; else ln -s /tmp/sshauth.real $note; fi
}
attack() {
	SSH_USER_AUTH=$note runuser -u build -- /usr/bin/stockade-gateway -c 'touch marker'
	[ -e "$marker" ]
}
cleanup() { rm -f $note /tmp/sshauth.real; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# Appends a key to ~/.ssh/authorized_keys from inside and logs in by it.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	[ -e /home/client/attacks-key ] || client ssh-keygen -q -t ed25519 -N '' -f /home/client/attacks-key
	s 'mkdir -p -m 700 ~/.ssh; cat >>~/.ssh/authorized_keys; chmod 600 ~/.ssh/authorized_keys' </home/client/attacks-key.pub
	client ssh "${options[@]}" -S none -o IdentitiesOnly=yes -i /home/client/attacks-key "$target@127.0.0.1" true || return 1
}
cleanup() { s 'rm -f ~/.ssh/authorized_keys'; }

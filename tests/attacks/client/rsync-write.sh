#!/bin/bash
# SPDX-License-Identifier: ISC
# Sends a file by rsync where everybody may write on the host.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'sync = rsync --server ...'; }
attack() {
	client rsync -e "ssh ${options[*]}" /etc/hostname "$target@127.0.0.1:$outside"
	[ -e $outside ]
}

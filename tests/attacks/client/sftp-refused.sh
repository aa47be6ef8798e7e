#!/bin/bash
# SPDX-License-Identifier: ISC
# Uses sftp where the account has none.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	[ "$mode" = control ] || with '[command]' 'sftp = no'
}
attack() {
	client sftp -q -b - "${options[@]}" "$target@127.0.0.1" <<<'put /etc/hostname marker'
	[ -e "$marker" ]
}

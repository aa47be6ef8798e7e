#!/bin/bash
# SPDX-License-Identifier: ISC
# Changes something (directory) by sftp where it may only read; the control is the same where it may write.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	[ "$mode" = control ] || with '[command]' 'sftp = read'
	install -m 644 -o build -g build /dev/null /srv/work/build/there
}
attack() {
	client sftp -q -b - "${options[@]}" "$target@127.0.0.1" <<<'mkdir marker'
	[ -e "$marker" ] || [ -L "$marker" ]
}
cleanup() { rm -rf "$dir/there" "$marker"; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# Puts a file where everybody may write on the host; the server is inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	client sftp -q -b - "${options[@]}" "$target@127.0.0.1" <<<"put /etc/hostname $outside"
	[ -e $outside ]
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks for any place to write outside the workspace and the private directories; there is none.
# guarantee: G1

attack() {
	[ -n "$(find / -xdev -type d -writable ! -path "$PWD*" ! -path "/home/$(id -un)*" ! -path '/proc/*' ! -path '/tmp*' ! -path '/var/tmp*' 2>/dev/null | head -n 1)" ]
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks for any socket of the host by path; none is shown.
# guarantee: G6

attack() {
	[ -n "$(find / -xdev -type s ! -path "$PWD/*" 2>/dev/null; find /run /var /tmp /dev /srv/attacks -type s 2>/dev/null)" ]
}

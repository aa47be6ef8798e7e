#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks for any socket of the host by path; none is shown. What a directory tells of a name that is covered is no socket.
# guarantee: G6

sockets() { find "$@" -type s -exec test -S {} \; -print 2>/dev/null; }
attack() {
	[ -n "$(sockets / -xdev ! -path "$PWD/*"; sockets /run /var /tmp /dev /srv/attacks)" ]
}

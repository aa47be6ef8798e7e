#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks for an interface or a listener of the host; only a loopback of its own is there.
# guarantee: G2

attack() {
	grep -qi ':1E61 ' /proc/net/tcp
}

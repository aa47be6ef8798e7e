#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a file in /etc, which is the fence's own; it is read-only once set up.
# guarantee: G1
# control: fence

attack() {
	(: >/etc/ld.so.preload) 2>/dev/null || return 1
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a file in /run, which is the fence's own; it is read-only once set up.
# guarantee: G1
# control: fence

attack() {
	(: >/run/attacks) 2>/dev/null || return 1
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a file in /home, which is the fence's own; it is read-only once set up.
# guarantee: G1
# control: fence

attack() {
	(: >/home/attacks) 2>/dev/null || return 1
}

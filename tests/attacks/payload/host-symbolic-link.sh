#!/bin/sh
# SPDX-License-Identifier: ISC
# Leads out of the workspace by a link; a link is followed inside.
# guarantee: G1

attack() {
	rm -f attacks-link && ln -s "/home/$(id -un)/attacks-host" attacks-link || return 2
	[ -e attacks-link ]
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Reads the account's own home; another is in its place.
# guarantee: G5

attack() {
	[ -e "/home/$(id -un)/attacks-host" ]
}

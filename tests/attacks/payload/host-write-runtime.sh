#!/bin/sh
# SPDX-License-Identifier: ISC
# Writes into the account's runtime directory; it is not shown.
# guarantee: G1

attack() {
	(: >"/run/user/$(id -u)/attacks-written") 2>/dev/null || return 1
}

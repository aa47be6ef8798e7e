#!/bin/sh
# SPDX-License-Identifier: ISC
# Raises its limit of core files; hard is soft.
# guarantee: G4

attack() {
	# dash knows it.
	# shellcheck disable=SC3045
	ulimit -c unlimited 2>/dev/null || return 1
}

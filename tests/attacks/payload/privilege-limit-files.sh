#!/bin/sh
# SPDX-License-Identifier: ISC
# Raises its limit of open files; hard is soft.
# guarantee: G4

attack() {
	# dash knows it.
	# shellcheck disable=SC3045
	ulimit -n 8192 2>/dev/null || return 1
}

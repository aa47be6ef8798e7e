#!/bin/sh
# SPDX-License-Identifier: ISC
# Builds a fence of its own inside; no further user namespace is to be had.
# guarantee: G11

attack() {
	command -v bwrap >/dev/null || return 2
	bwrap --dev-bind / / --unshare-user true 2>/dev/null || return 1
}

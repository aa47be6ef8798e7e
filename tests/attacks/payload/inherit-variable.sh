#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks for what the client sent; nothing came in.
# guarantee: G3

attack() {
	[ -n "${CANARY:-}" ]
}

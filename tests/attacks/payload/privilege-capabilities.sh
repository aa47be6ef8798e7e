#!/bin/sh
# SPDX-License-Identifier: ISC
# Looks for capabilities that it could gain; not even the bounding set has one.
# guarantee: G4

attack() {
	grep -Eq '^Cap(Inh|Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/self/status
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens a packet socket; the filter refuses the family before the kernel asks for a capability.
# guarantee: G6

attack() {
	perl -e 'exit(syscall(41, 17, 3, 0) >= 0 || $! + 0 != 97 ? 0 : 1)'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens a vsock, which passes the network namespace by; the filter refuses the family.
# guarantee: G6

attack() {
	perl -e 'exit(syscall(41, 40, 1, 0) >= 0 || $! + 0 != 97 ? 0 : 1)'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes x32 calls, whose numbers a filter may not know; the process is killed.
# where: payload without-control
set -u

attack() {
	perl -e 'exit(syscall(0x40000000 | 39) > 0 ? 0 : 1)' 
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a user namespace by unshare, clone and clone3; the filter and the limit inside refuse it.
# where: payload
set -u

attack() {
	perl -e 'exit 0 if syscall(272, 0x10000000) == 0; my $p = syscall(56, 0x10000000 | 17, 0, 0, 0, 0); exit 0 if $p == 0; exit($p > 0 ? 0 : 1)' 
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

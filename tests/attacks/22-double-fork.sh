#!/bin/sh
# SPDX-License-Identifier: ISC
# Leaves a daemon behind that ignores signals; the pid namespace ends with the command. The runner looks for it.
# where: payload without-control
set -u

attack() {
	setsid sh -c 'trap "" HUP TERM INT; exec sleep 8642' >/dev/null 2>&1 </dev/null &
	return 1
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

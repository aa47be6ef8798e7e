#!/bin/sh
# SPDX-License-Identifier: ISC
# Gives a terminal of its own the line discipline that takes nothing (27), as it could one that is a module; the filter refuses it.
# guarantee: G4

attack() {
	python3 -c '
import fcntl, os, sys, struct
try:
    fcntl.ioctl(os.openpty()[1], 0x5423, struct.pack("i", 27))
except PermissionError:
    sys.exit(1)
'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Opens a message queue of the host; the IPC namespace is the run's own.
# guarantee: G6

attack() {
	perl -e 'exit(defined msgget(0x57ac, 0) ? 0 : 1)'
}

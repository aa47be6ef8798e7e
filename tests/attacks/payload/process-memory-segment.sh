#!/bin/sh
# SPDX-License-Identifier: ISC
# Attaches a shared memory segment of the host; the IPC namespace is the run's own.
# guarantee: G6

attack() {
	perl -e 'exit(defined shmget(0x57ac, 0, 0) ? 0 : 1)'
}

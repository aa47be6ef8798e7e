#!/bin/sh
# SPDX-License-Identifier: ISC
# Reads a host process's memory by process_vm_readv; the filter refuses the call.
# guarantee: G4

attack() {
	perl -e 'exit(syscall(310, $$ + 0, 0, 0, 0, 0, 0) == 0 ? 0 : 1)'
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a setuid copy of an interpreter by each call there is; the system call filter refuses the bit.
# where: payload
set -u

attack() {
	cp /bin/sh ./setuid-copy && chmod 4755 ./setuid-copy 2>/dev/null
	[ -u ./setuid-copy ] && { rm -f ./setuid-copy && return 0; }
	rm -f ./setuid-copy ./setuid-new
	perl -e 'use Fcntl; umask 0; sysopen(F, "setuid-new", O_CREAT|O_WRONLY, 04755); syscall(90, "setuid-new", 04755); syscall(268, -100, "setuid-new", 04755);
		syscall(452, -100, "setuid-new", 04755, 0); syscall(437, -100, "setuid-new", pack("QQQ", 0101, 04755, 0), 24); syscall(85, "setuid-new", 04755);
		syscall(133, "setuid-new2", 0104755, 0);'
	[ -u setuid-new ] || [ -u setuid-new2 ]
}

if [ "${1:-attack}" = control ]; then attack; else ! attack; fi

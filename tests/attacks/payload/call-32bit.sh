#!/bin/sh
# SPDX-License-Identifier: ISC
# Makes a 32-bit call from a 64-bit program; the process is killed before it is answered.
# guarantee: G4
# needs: python3 -c 'import ctypes, mmap; page = mmap.mmap(-1, 4096, prot=7); page.write(b"\x53\xb8\x14\0\0\0\xcd\x80\x5b\xc3"); ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()'

attack() {
	[ "$(python3 -c '
import ctypes, mmap
# getpid(20) through int $0x80
page = mmap.mmap(-1, 4096, prot=7)
page.write(b"\x53\xb8\x14\0\0\0\xcd\x80\x5b\xc3")
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
print("alive" if ctypes.CFUNCTYPE(ctypes.c_int)(address)() > 0 else "")' 2>/dev/null)" = alive ]
}

#!/bin/sh
# SPDX-License-Identifier: ISC
# Sets the bit by a 32-bit call from a 64-bit program; the filter kills the process.
# guarantee: G4
# needs: python3 -c 'import ctypes, mmap; page = mmap.mmap(-1, 4096, prot=7); page.write(b"\x53\xb8\x14\0\0\0\xcd\x80\x5b\xc3"); ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()'

attack() {
	cp /bin/sh setuid-copy || return 2
	python3 -c '
import ctypes, mmap
# chmod(15) through int $0x80: eax 15, ebx path, ecx mode; all of it below 4 GiB.
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
page = libc.mmap(None, 4096, 7, 0x62, -1, 0)
path = page + 1024
ctypes.memmove(path, b"setuid-copy\0", 12)
code = b"\x53\xb8\x0f\0\0\0\xbb" + path.to_bytes(4, "little") + b"\xb9\xed\x09\0\0\xcd\x80\x5b\xc3"
ctypes.memmove(page, code, len(code))
ctypes.CFUNCTYPE(ctypes.c_int)(page)()
' 2>/dev/null
	[ -u setuid-copy ]
}

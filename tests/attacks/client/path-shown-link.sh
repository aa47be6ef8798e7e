#!/bin/bash
# SPDX-License-Identifier: ISC
# Points a component of a shown path at a directory that should not be shown.
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	install -d -o build -g build /srv/attacks-own
	ln -sfn /home/plain /srv/attacks-own/tools
	[ "$mode" = control ] || with '[view]' 'read = /srv/attacks-own/tools'
}
attack() {
	# The control is a fence that takes the path as it stands.
	if [ "$mode" = control ]; then
		runuser -u build -- bwrap --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 \
			--ro-bind /srv/attacks-own/tools /srv/attacks-own/tools ls /srv/attacks-own/tools/attacks-host
	else
		s 'ls /srv/attacks-own/tools/attacks-host'
	fi >/dev/null 2>&1 || return 1
}
cleanup() { rm -rf /srv/attacks-own; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# Has the gateway run a command as root.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	install -d -m 755 /srv/attacks-root
	install -d -m 700 /var/lib/stockade/tmp/root
	sed 's|^path = .*|path = /srv/attacks-root|' /etc/stockade/build.default >$profiles/root.ini
}
attack() {
	if [ "$mode" = control ]; then runuser -u build -- /usr/bin/stockade-gateway -c 'touch marker'; else /usr/bin/stockade-gateway -c 'touch marker'; fi
	[ -e "$marker" ] || [ -e /srv/attacks-root/marker ]
}
cleanup() { rm -rf $profiles/root.ini /srv/attacks-root /var/lib/stockade/tmp/root; }

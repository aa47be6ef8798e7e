#!/bin/bash
# SPDX-License-Identifier: ISC
# Leaves links in the private places, for the removal to follow; the control is a removal that does.
# guarantee: G5
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	install -d -o "$target" /srv/attacks-kept && install -o "$target" /dev/null /srv/attacks-kept/file
}
attack() {
	new 'ln -s /srv/attacks-kept /tmp/attacks-link; mkdir -p /tmp/attacks-deep/a && ln -s /srv/attacks-kept /tmp/attacks-deep/a/link'
	sleep 0.5
	[ "$mode" = attack ] || find -L /tmp/attacks-link /tmp/attacks-deep -mindepth 1 -delete 2>/dev/null
	[ ! -e /srv/attacks-kept/file ]
}
cleanup() { rm -rf /srv/attacks-kept /tmp/attacks-link /tmp/attacks-deep; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# A setgid bwrap.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	target=build
	install -d -m 755 /opt/attacks
	cat >/opt/attacks/bwrap.c <<-'C'
		#include <fcntl.h>
		#include <unistd.h>
		int main(void) { close(open("/srv/attacks/marker", O_CREAT | O_WRONLY, 0666)); return 1; }
	C
	gcc -o /opt/attacks/bwrap /opt/attacks/bwrap.c
	printf '[tools]\nbwrap = /opt/attacks/bwrap\n' >/etc/stockade/stockade.ini
	[ "$mode" = control ] || { chmod 2755 /opt/attacks/bwrap; }
}
attack() {
	runuser -u build -- /usr/bin/stockade-gateway -c true
	[ -e $outside ]
}
cleanup() { rm -rf /opt/attacks /etc/stockade/stockade.ini; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# Sends LD_PRELOAD, for every program on the way to the command.
# guarantee: G3
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	printf '#include <fcntl.h>\n__attribute__((constructor)) static void init(void) { open("/srv/attacks/marker", O_CREAT | O_WRONLY, 0666); }\n' >/tmp/attacks-preload.c
	gcc -shared -fPIC -o /srv/attacks/preload.so /tmp/attacks-preload.c
}
attack() {
	timeout 30 "${as_client[@]}" ssh "${options[@]}" -S none -o SetEnv=LD_PRELOAD=/srv/attacks/preload.so "$target@127.0.0.1" true
	[ -e $outside ]
}

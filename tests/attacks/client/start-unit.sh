#!/bin/bash
# SPDX-License-Identifier: ISC
# Plants a unit of the user manager from inside, to be started outside at the next login.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	s 'mkdir -p ~/.config/systemd/user/default.target.wants; printf "[Service]\nType=oneshot\nExecStart=/bin/touch /srv/attacks/marker\n" >~/.config/systemd/user/attacks.service; ln -sf ../attacks.service ~/.config/systemd/user/default.target.wants/'
	systemctl restart "user@$(id -u "$target")"
	sleep 1
	[ -e $outside ]
}
cleanup() { s 'rm -rf ~/.config/systemd'; }

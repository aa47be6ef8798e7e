#!/bin/bash
# SPDX-License-Identifier: ISC
# Asks for a subsystem that an administrator added; the gateway gets it as text, and it runs inside.
# guarantee: G7
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	printf '%s\n' "Subsystem attacks /usr/bin/touch $outside" "$(grep -v '^Subsystem' /etc/ssh/sshd_config.d/40-attacks.conf)" >/etc/ssh/sshd_config.d/40-attacks.new
	mv /etc/ssh/sshd_config.d/40-attacks.new /etc/ssh/sshd_config.d/40-attacks.conf
	reload_sshd
}
attack() {
	new -s attacks
	[ -e $outside ]
}
cleanup() {
	sed -i '/^Subsystem/d' /etc/ssh/sshd_config.d/40-attacks.conf
	reload_sshd
}

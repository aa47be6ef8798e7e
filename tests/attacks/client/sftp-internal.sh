#!/bin/bash
# SPDX-License-Identifier: ISC
# Uses sshd's own sftp server, which would run outside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() {
	sed -i 's|^Subsystem.*|Subsystem sftp internal-sftp|' /etc/ssh/sshd_config
	reload_sshd
}
attack() {
	rm -f /home/client/fetched
	client sftp -q -b - "${options[@]}" "$target@127.0.0.1" <<<"get /home/$target/attacks-host /home/client/fetched"
	[ -e /home/client/fetched ]
}
cleanup() {
	sed -i 's|^Subsystem.*|Subsystem sftp /usr/lib/openssh/sftp-server|' /etc/ssh/sshd_config
	reload_sshd
}

#!/bin/bash
# SPDX-License-Identifier: ISC
# Writes a perfect record as another account; the control believes the text, not the journal's own fields.
# guarantee: G8
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	runuser -u client -- logger -t stockade "end session=forgedbb user=build actor=attacks-forged by=payload exit=0 signal=- secs=1.00"
	journalctl --sync
	if [ "$mode" = control ]; then journalctl -q -t stockade -o cat -n 50; else stockade last -n 50 | grep -v UNVERIFIED; fi | grep -q attacks-forged || return 1
}

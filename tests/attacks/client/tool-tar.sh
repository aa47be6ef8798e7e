#!/bin/bash
# SPDX-License-Identifier: ISC
# tar --checkpoint-action runs a shell; it is inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'tool = tar ...'; }
attack() { a_tool_runs "tar -cf /dev/null --checkpoint=1 '--checkpoint-action=exec=echo started; cat /home/$target/attacks-host' /usr/bin/env"; }

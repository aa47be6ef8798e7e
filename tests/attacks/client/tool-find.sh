#!/bin/bash
# SPDX-License-Identifier: ISC
# find -exec runs a shell; it is inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'tool = find ...'; }
attack() { a_tool_runs "find /usr/bin/env -exec sh -c 'echo started; cat /home/$target/attacks-host' '{}' +"; }

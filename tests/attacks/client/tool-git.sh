#!/bin/bash
# SPDX-License-Identifier: ISC
# git runs an alias by a shell; it is inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'tool = git ...'; }
attack() { a_tool_runs "git -c 'alias.x=!echo started; cat /home/$target/attacks-host' x"; }

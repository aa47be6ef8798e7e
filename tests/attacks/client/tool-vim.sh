#!/bin/bash
# SPDX-License-Identifier: ISC
# vim runs a shell; it is inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'tool = vim ...'; }
attack() { a_tool_runs "vim -es '+!echo started; cat /home/$target/attacks-host' +q"; }

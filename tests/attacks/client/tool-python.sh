#!/bin/bash
# SPDX-License-Identifier: ISC
# python runs a shell; it is inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'tool = python3 ...'; }
attack() { a_tool_runs "python3 -c 'import os; os.system(\"echo started; cat /home/$target/attacks-host\")'"; }

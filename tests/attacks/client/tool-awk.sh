#!/bin/bash
# SPDX-License-Identifier: ISC
# awk runs a shell; it is inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'tool = awk ...'; }
attack() { a_tool_runs "awk 'BEGIN { system(\"echo started; cat /home/$target/attacks-host\") }'"; }

#!/bin/bash
# SPDX-License-Identifier: ISC
# make runs a shell; it is inside.
# guarantee: G1
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

prepare() { [ "$mode" = control ] || with '[allow]' 'tool = make ...'; }
attack() { a_tool_runs "make -s '--eval=x:; @echo started; cat /home/$target/attacks-host' x"; }

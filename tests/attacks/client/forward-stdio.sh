#!/bin/bash
# SPDX-License-Identifier: ISC
# Reaches a service of the host in place of a session (-W).
# guarantee: G6
# shellcheck shell=bash disable=SC2034,SC2154,SC2016

attack() {
	[ "$(new -W 127.0.0.1:7777 2>/dev/null)" = attacks-banner ]
}

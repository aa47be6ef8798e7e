#!/bin/bash
# SPDX-License-Identifier: ISC
# Runs every attack below this directory. Runs as root in a bed, after setup.sh, with this directory at /root/attacks;
# lib.sh of the system tests goes before it. ONLY="NAME..." runs these alone, CONTROLS=no leaves the controls out,
# PAYLOADS=only the clients and all views but the default. EXPECT_LACKS names what the bed's grade lacks: what only a
# higher grade guarantees is then left out.
#
#   payload/X.sh  code inside the fence: attack() succeeds (0) or is refused (1); any other status is a fault of the test.
#                 The account is enrolled as an administrator would. The same code has to succeed where the wall is not:
#                 run by the account plain over a plain sshd, or as "# control:" says: behind a command that gives it what
#                 the fence takes away, as root, or in a "fence" with nothing sealed and no filter.
#   client/X.sh   what a client or the account does from outside: attack() with $mode attack or control, against the account
#                 $target (build or plain). prepare() and cleanup() are its own; a control with build takes the wall down there.
#
# "# guarantee:" is the one of the contract that stands against it. G9 alone needs a process namespace of its own.
# shellcheck shell=bash disable=SC2034
if [ -z "${passed:-}" ]; then
	# shellcheck source-path=SCRIPTDIR source=../system/lib.sh
	. "${BASH_SOURCE[0]%/*}/../system/lib.sh"
fi
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${ATTACKS:-/root/attacks}/lib.sh"

# What earlier tests left there would answer for an attack: "make: 'x' is up to date".
find "$work" -mindepth 1 -delete
listeners
trap tear_down EXIT
landmarks
accounts
connect build
connect plain
neighbours
choose payload
payload_files=(${chosen[@]+"${chosen[@]}"})
chosen=()
[ "${PAYLOADS:-}" = only ] || choose client
if [ ${#payload_files[@]} -gt 0 ]; then
	[ "${CONTROLS:-yes}" != yes ] || controls "${payload_files[@]}"
	default_profile
	payloads minimal "${payload_files[@]}"
fi
if [ -z "${ONLY:-}${PAYLOADS:-}" ]; then
	with '[view]' 'root = host'
	payloads host "${payload_files[@]}"
	sed -i "s|^path = .*|&\nhome = workspace|" $profiles/build.ini
	payloads host,home "${payload_files[@]}"
	with '[tmp]' 'mode = command' 'backing = memory'
	payloads memory "${payload_files[@]}"
	default_profile
	reconnect build
fi
for file in ${chosen[@]+"${chosen[@]}"}; do client_attack "$file"; done
echo "count: $count attacks, $controlled controls"
totals attacks

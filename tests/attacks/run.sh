#!/bin/bash
# SPDX-License-Identifier: ISC
# Runs every attack below this directory, in several profiles. Runs as root in a bed, after setup.sh, with this directory
# at /root/attacks; lib.sh goes before it. A payload's control is run by the account plain, outside: there it has to succeed.
# shellcheck shell=bash
if [ -z "${passed:-}" ]; then
	# shellcheck source-path=SCRIPTDIR source=../system/lib.sh
	. "${BASH_SOURCE[0]%/*}/../system/lib.sh"
fi
attacks=${ATTACKS:-/root/attacks}
with() { { cat /etc/stockade/build.default && printf '%s\n' "$@"; } | profile; }

payload() { # FILE LABEL
	local name out rc
	name=$(basename "$1" .sh)
	out=$(CANARY=1 b -T -o SendEnv=CANARY 'timeout 30 sh -s attack' <"$1" 2>&1)
	rc=$?
	case $rc in 0) ok "$name ($2)" ;; *) not_ok "$name ($2): status $rc: ${out:0:300}" ;; esac
}
control() { # FILE
	local name
	name=$(basename "$1" .sh)
	if CANARY=1 p -T -o SendEnv=CANARY 'timeout 30 sh -s control' <"$1" >/dev/null 2>&1; then ok "control_$name"; else not_ok "control_$name: does not succeed outside"; fi
}
payloads() { # LABEL
	local file
	for file in "$attacks"/[0-9]*.sh; do grep -q '^# where: payload' "$file" && payload "$file" "$1"; done
	fails "leaves_no_daemon ($1)" pgrep -f '^sleep 8642'
}

install -d -m 1777 /srv/stockade-attacks
# What an attack on the host's sockets finds: an abstract listener, and one at a path below /run.
perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("\0stockade-attacks-listener")) && listen(S, 9) && sleep 3600' &
listener=$!
trap 'kill $listener' EXIT

for file in "$attacks"/[0-9]*.sh; do grep -q '^# where: payload$' "$file" && control "$file"; done
default_profile && payloads minimal
with '[view]' 'root = host' && payloads host
sed -i "s|^path = .*|&\nhome = workspace|" /etc/stockade/profiles/build.ini && payloads host,home
with '[tmp]' 'mode = command' 'backing = memory' && payloads memory
default_profile
# From outside the fence.
for file in "$attacks"/[0-9]*.sh; do
	grep -q '^# where: plain' "$file" || continue
	name=$(basename "$file" .sh)
	if out=$(p -T 'timeout 60 sh -s attack' <"$file" 2>&1); then
		sleep 1
		journalctl --sync
		case $(stockade last -n 200 | grep -v UNVERIFIED) in *stockade-attacks-forged*) not_ok "$name: shown as verified" ;; *) ok "$name" ;; esac
	else not_ok "$name: ${out:0:300}"; fi
done
find $work -name 'setuid-*' -delete
totals attacks

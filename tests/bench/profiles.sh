#!/bin/bash
# SPDX-License-Identifier: ISC
# What a decision costs with one profile and with ten thousand, and with a profile of ten thousand rules. Runs as root in a bed, after tests/system/setup.sh.
set -eu
time_of() {
	local began=${EPOCHREALTIME/./}
	for ((i = 0; i < 100; i++)); do stockade explain build -- true >/dev/null; done
	echo $((${EPOCHREALTIME/./} - began))
}
time_of >/dev/null
one=$(time_of)
for ((i = 0; i < 10000; i++)); do echo '[workspace]' >/etc/stockade/profiles/many$i.ini; done
many=$(time_of)
find /etc/stockade/profiles -name 'many*' -delete
echo "one profile: $((one / 100)) us, ten thousand: $((many / 100)) us, ratio $((many * 100 / one))%"
{ cat /etc/stockade/build.default && echo '[allow]' && for ((i = 0; i < 10000; i++)); do echo "rule$i = make target$i ..."; done && echo 'true = true'; } >/etc/stockade/profiles/build.ini
rules=$(time_of)
cp /etc/stockade/build.default /etc/stockade/profiles/build.ini
echo "ten thousand rules: $((rules / 100)) us"

#!/bin/bash
# SPDX-License-Identifier: ISC
# What a run's private network carries, against the host's own way to the same server, in turns; and what it adds to a
# command. Runs as root in a bed, after tests/system/setup.sh. usage: network.sh [MEGABYTES] [RUNS]
set -eu
megabytes=${1:-256} runs=${2:-20}
dir=$(mktemp -d /srv/work/build/bench.XXXXXX)
trap 'kill $(jobs -p) 2>/dev/null; ip netns del bench; rm -rf "$dir"; cp /etc/stockade/build.default /etc/stockade/profiles/build.ini' EXIT
chmod 755 "$dir"
ip netns add bench
ip link add bench0 type veth peer name eth0 netns bench
ip addr add 198.51.100.1/24 dev bench0
ip link set bench0 up
ip -n bench addr add 198.51.100.2/24 dev eth0
ip -n bench link set eth0 up
cat >"$dir/serve.py" <<'PY'
import socket, sys
server = socket.create_server(("198.51.100.2", 5001))
block = bytes(1 << 20)
while True:
    peer, _ = server.accept()
    try:
        for _ in range(int(sys.argv[1])):
            peer.sendall(block)
    except OSError:
        pass # who only asks whether it answers
    peer.close()
PY
cat >"$dir/take.py" <<'PY'
import socket, time
begin, count = time.time(), 0
peer = socket.create_connection(("198.51.100.2", 5001))
while True:
    got = len(peer.recv(1 << 20))
    if not got:
        break
    count += got
print(f"{count / (time.time() - begin) / 1e6:.0f}")
PY
ip netns exec bench python3 "$dir/serve.py" "$megabytes" &
until python3 -c 'import socket; socket.create_connection(("198.51.100.2", 5001)).close()' 2>/dev/null; do sleep 0.1; done
as_client() { runuser -u client -- ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "$@"; }
profile() { printf '%s\n' "$@" | cat /etc/stockade/build.default - >/etc/stockade/profiles/build.ini; }
profile '[network]' 'mode = slirp' 'allow = 198.51.100.2:5001'
best() { sort -n | tail -n 1; }
for _ in 1 2 3; do
	python3 "$dir/take.py" >>"$dir/host"
	as_client build@127.0.0.1 "python3 $dir/take.py" </dev/null >>"$dir/run"
done
host=$(best <"$dir/host") run=$(best <"$dir/run")
echo "throughput, best of 3: host $host MB/s, run $run MB/s, ratio $(awk "BEGIN { printf \"%.2f\", $run / $host }")"
as_client -M -S "/tmp/bench-master" -o ControlPersist=600 -n -N -f build@127.0.0.1
times() { # prints milliseconds of each
	for ((i = 0; i < runs; i++)); do
		local begin=${EPOCHREALTIME/./}
		as_client -S "/tmp/bench-master" build@127.0.0.1 true </dev/null
		echo $(((${EPOCHREALTIME/./} - begin) / 1000))
	done | sort -n | sed -n "$((runs / 2 + 1))p"
}
with=$(times)
profile
without=$(times)
as_client -S "/tmp/bench-master" -O exit build@127.0.0.1 2>/dev/null
echo "a command, median of $runs: without a network $without ms, with $with ms"

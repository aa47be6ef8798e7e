# SPDX-License-Identifier: ISC
# The private network, with servers of the test's own in a network namespace beside the bed's: 198.51.100.1 is the bed,
# 198.51.100.2 and .3 are elsewhere. Runs as root in a bed, after setup.sh; lib.sh stands before it. ATTACH: how many
# runs attach behind a delay.
# shellcheck shell=bash disable=SC2016
attach=${ATTACH:-40}
dir=/root/network
uid=$(id -u build)
if ! [ -c /dev/net/tun ]; then
	skip "no /dev/net/tun: no private network"
	totals network
	exit
fi
mkdir -p $dir/www
trap 'kill $(jobs -p) 2>/dev/null; ip netns del far 2>/dev/null; rm -rf $dir' EXIT
ip netns add far
ip link add near type veth peer name eth0 netns far
ip addr add 198.51.100.1/24 dev near
ip link set near up
for address in 2 3; do ip -n far addr add 198.51.100.$address/24 dev eth0; done
ip -n far link set eth0 up
ip -n far link set lo up
ip addr add 192.0.2.99/32 dev lo # an address of the bed on another interface
ip route add local 203.0.113.64/26 dev lo # and a net that it answers for
cp /etc/resolv.conf $dir/resolv.conf.kept
rm -f /etc/resolv.conf
echo 'nameserver 198.51.100.2' >/etc/resolv.conf
cat >$dir/dns.py <<'PY'
import socket, struct
# silent.example is never answered.
names = {b"\5build\7example\0": "198.51.100.2", b"\5other\7example\0": "198.51.100.3"}
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("198.51.100.2", 53))
while True:
    query, client = server.recvfrom(512)
    end = query.index(b"\0", 12) + 1
    if query[12:].startswith(b"\6silent"):
        continue
    address = names.get(query[12:end].lower())
    is_a = query[end:end + 2] == b"\0\1"
    reply = query[:2] + (b"\x81\x80" if address else b"\x81\x83") + b"\0\1" + (b"\0\1" if address and is_a else b"\0\0") + b"\0" * 4 + query[12:end + 4]
    if address and is_a:
        reply += b"\xc0\x0c\0\1\0\1\0\0\0\5\0\4" + socket.inet_aton(address)
    server.sendto(reply, client)
PY
# An HTTPS server with a certificate of a test CA, for git.
git_tree() {
	openssl req -x509 -newkey rsa:2048 -nodes -keyout $dir/ca.key -out $dir/ca.pem -days 30 -subj '/CN=test CA' 2>/dev/null
	openssl req -newkey rsa:2048 -nodes -keyout $dir/server.key -out $dir/server.csr -subj '/CN=build.example' 2>/dev/null
	printf 'subjectAltName=DNS:build.example\n' >$dir/extensions
	openssl x509 -req -in $dir/server.csr -CA $dir/ca.pem -CAkey $dir/ca.key -CAcreateserial -out $dir/server.pem -days 30 -extfile $dir/extensions 2>/dev/null
	git init -q -b main $dir/source && git -C $dir/source -c user.name=t -c user.email=t@example commit -q --allow-empty -m 'first of all'
	git clone -q --bare $dir/source $dir/www/project.git && git -C $dir/www/project.git update-server-info
}
cat >$dir/https.py <<'PY'
import functools, http.server, ssl, sys
directory = sys.argv[1]
server = http.server.ThreadingHTTPServer(("198.51.100.2", 443), functools.partial(http.server.SimpleHTTPRequestHandler, directory=directory + "/www"))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(directory + "/server.pem", directory + "/server.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
PY
echo hello >$dir/www/index.html
git_tree
in_far() { ip netns exec far "$@" >/dev/null 2>&1 & }
in_far python3 $dir/dns.py
in_far python3 $dir/https.py $dir
for port in 8080 8081; do in_far python3 -m http.server -d $dir/www $port; done
# What listens on the bed itself, and must not be reached.
python3 -m http.server -d $dir/www 9090 >/dev/null 2>&1 &
answers() { python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 2)' "$@" 2>/dev/null; }
for place in '198.51.100.2 8080' '198.51.100.3 8081' '198.51.100.2 443' '127.0.0.1 9090'; do
	# shellcheck disable=SC2086
	wait_for answers $place || not_ok "the test's own server at $place"
done
getent ahosts build.example >/dev/null || not_ok "the test's own name server"

slirp() { { cat /etc/stockade/build.default && printf '[network]\nmode = slirp\n%s\n' "$*"; } | profile; }
# What a run finds at places: "PLACE yes|no SECONDS" lines.
cat >$work/reach.py <<'PY'
import socket, sys, time
for place in sys.argv[1:]:
    host, port = place.rsplit(":", 1)
    begin, found = time.time(), "no"
    try:
        family, kind, _, _, address = socket.getaddrinfo(host.strip("[]"), int(port), 0, socket.SOCK_STREAM)[0]
        s = socket.socket(family, kind)
        s.settimeout(8)
        s.connect(address)
        found = "odd"
        s.sendall(b"GET / HTTP/1.0\r\n\r\n")
        found = "yes" if s.recv(4) == b"HTTP" else "odd"
    except ConnectionResetError:
        pass
    except OSError:
        found = "no"
    print(place, found, "quick" if time.time() - begin < 1 else "slow")
PY
reach() { b "python3 reach.py $*" </dev/null 2>&1; }
host_places='198.51.100.1:9090 192.0.2.99:9090 203.0.113.70:9090 127.0.0.1:9090 10.0.2.2:9090 169.254.169.254:80 [::1]:9090'
unreached() { for place in "$@"; do echo "$place no quick"; done; }

# --- no words: all but the host
slirp
mark
# shellcheck disable=SC2086
is reaches_by_name_and_address "$(reach build.example:8080 198.51.100.3:8081)" $'build.example:8080 yes quick\n198.51.100.3:8081 yes quick'
# shellcheck disable=SC2086
is never_reaches_the_host "$(reach $host_places)" "$(unreached $host_places)"
has the_start_says_so "$(records start | head -n 1)" '*net=slirp*'
has what_was_refused_is_counted "$(records end | tail -n 1)" '*net_refused=5 *'
has what_was_not_is_too "$(records end | head -n 1)" '*net_refused=0 *'
is resolves_other_names "$(b 'getent ahostsv4 other.example | head -n 1' </dev/null | awk '{ print $1 }')" 198.51.100.3
is has_an_address_of_its_own "$(b 'hostname -I' </dev/null | tr -d ' ')" 10.0.2.100
cp $dir/ca.pem $work/ca.pem
rm -rf $work/cloned
is clones_over_https_with_the_tests_ca "$(b "git -c http.sslCAInfo=ca.pem clone -q https://build.example/project.git cloned 2>&1 && git -C cloned log --format=%s" </dev/null)" 'first of all'
rm -rf $work/cloned
fails an_unknown_ca_is_not_believed b 'git clone -q https://build.example/project.git cloned'

# --- words
slirp 'allow = build.example:8080'
mark
is reaches_what_is_named "$(reach build.example:8080 198.51.100.2:8080)" $'build.example:8080 yes quick\n198.51.100.2:8080 yes quick'
is refuses_what_is_not "$(reach 198.51.100.2:8081 198.51.100.3:8080 other.example:8081)" "$(unreached 198.51.100.2:8081 198.51.100.3:8080 other.example:8081)"
has counts_three "$(records end | tail -n 1)" '*net_refused=3 *'
slirp 'allow = 198.51.100.0/24:8081 *:443'
is reaches_nets_and_ports "$(reach 198.51.100.3:8081 build.example:443 198.51.100.2:8080)" $'198.51.100.3:8081 yes quick\nbuild.example:443 odd quick\n198.51.100.2:8080 no quick'
# shellcheck disable=SC2086
is a_net_does_not_open_the_host "$(slirp 'allow = 0.0.0.0/0' && reach $host_places)" "$(unreached $host_places)"
slirp 'allow = 198.51.100.1:9090'
is the_very_address_does "$(reach 198.51.100.1:9090 192.0.2.99:9090)" $'198.51.100.1:9090 yes quick\n192.0.2.99:9090 no quick'
slirp 'dns = 198.51.100.2'
is asks_the_profiles_name_server "$(b 'cat /etc/resolv.conf; getent ahostsv4 other.example | head -n 1' </dev/null | awk '{ print $1 $2 }')" $'nameserver198.51.100.2\n198.51.100.3STREAM'
slirp 'allow = nowhere.example:80'
mark
is a_name_without_an_address_is_a_refusal "$(status b true)" 125
has its_record "$(records refuse)" '*reason=network stage=network detail="nowhere.example: *'
# --- names are asked for by a run that has its place, and that can be ended
gateway() { pgrep -u build -o -x stockade-gatewa; }
printf '[account]\nsessions_max = 1\n[network]\nmode = slirp\nallow = silent.example:80\n' | cat /etc/stockade/build.default - | profile
mark
b touch ran </dev/null 2>/dev/null &
client=$!
wait_for eval 'stockade who | grep -q "touch ran"'
pid=$(gateway)
kill -STOP "$pid"
is a_run_that_asks_has_its_place "$(status b true)" 126
has the_next_is_told_so "$(records refuse | tail -n 1)" '*reason=busy stage=place*'
kill -TERM "$pid"
kill -CONT "$pid"
wait $client
is a_run_that_asks_ends_in_order $? 125
has with_its_record "$(records refuse | tail -n 1)" '*reason=network stage=network*cmd="touch ran"*'
b touch ran </dev/null 2>/dev/null &
client=$!
wait_for eval 'stockade who | grep -q "touch ran"'
kill -KILL "$(gateway)"
wait $client
within=10 wait_for eval '! gateway >/dev/null'
is a_killed_run_that_asked_leaves_nobody "$(pgrep -u build -c stockade-gatewa)" 0
default_profile
is and_no_place_taken "$(status b test ! -e ran)" 0
printf '[view]\nroot = host\n[network]\nmode = slirp\n' | cat /etc/stockade/build.default - | profile
is works_in_the_hosts_view "$(reach build.example:8080)" 'build.example:8080 yes quick'

# --- many flows at once: each takes the helper a descriptor
cat >$work/flows.py <<'PY'
import socket, subprocess
flows = []
for port in range(20000, 22000):
    flows.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    flows[-1].sendto(b"x", ("198.51.100.2", port))
subprocess.run(["python3", "reach.py", "198.51.100.2:8080"])
PY
slirp
is two_thousand_flows_leave_room_for_more "$(b 'ulimit -n 4096; python3 flows.py' </dev/null 2>&1)" '198.51.100.2:8080 yes quick'

# --- the payload cannot change it
slirp 'allow = 198.51.100.2:8080'
has no_rules_for_the_payload "$(b 'nft flush ruleset 2>&1; ip link set tap0 down 2>&1; ip route add default via 10.0.2.2 2>&1; unshare -Urn true 2>&1' </dev/null)" '*permitted*'
is still_holds "$(b 'nft flush ruleset 2>/dev/null; /usr/sbin/nft delete table inet stockade 2>/dev/null; kill -9 -1 2>/dev/null; python3 reach.py 198.51.100.2:8081' </dev/null)" '198.51.100.2:8081 no quick'
is sees_no_helper "$(b 'cat /proc/[0-9]*/comm | grep -c slirp' </dev/null)" 0
is has_no_sockets_of_the_helper "$(b 'cat /proc/net/unix | tail -n +2 | grep -c .' </dev/null)" 0

# --- the helper
helper() { pgrep -u build -x slirp4netns; }
b 'touch up; exec sleep 7301' </dev/null &
client=$!
wait_for test -e $work/up
pid=$(helper | head -n 1)
is the_helper_has_no_environment "$(tr '\0' '\n' <"/proc/$pid/environ")" PWD=/
is the_helper_sees_none_of_the_host "$(nsenter -t "$pid" -m ls / | tr '\n' ' ')" "$(nsenter -t "$pid" -m sh -c 'echo bin dev etc lib* proc sbin usr') "
fails the_helpers_root_is_read_only nsenter -t "$pid" -U -m --preserve-credentials touch /x
is the_helper_has_seccomp "$(awk '/^Seccomp:/ { print $2 }' "/proc/$pid/status")" 2
kill -9 "$(pgrep -u build -o -x stockade-gatewa)"
wait $client
within=10 wait_for eval '! helper >/dev/null'
is a_killed_gateway_leaves_no_helper "$(helper | wc -l)" 0
rm -f $work/up
mark
b 'touch up; sleep 2; python3 reach.py 198.51.100.2:8080; exit 9' </dev/null >$dir/out 2>$dir/err &
client=$!
wait_for test -e $work/up
kill -9 "$(helper)"
wait $client
is the_command_outlives_its_helper $? 9
has and_the_user_is_told "$(cat $dir/err)" 'stockade: the private network ended before the command did*'
has and_so_is_the_log "$(records end)" '*by=payload exit=9 *net=lost*'
rm -f $work/up

# --- helpers that are none; the tools' own settings stand in stockade.ini
tools() { printf '[tools]\n%s\n' "$@" | main_settings; }
fake() { # TEXT: becomes the helper
	printf '#!/bin/sh\n%s\n' "$1" >/usr/local/bin/fake-slirp
	chmod 755 /usr/local/bin/fake-slirp
	tools 'slirp4netns = /usr/local/bin/fake-slirp'
}
says() { echo "while [ \$# -gt 0 ]; do [ \$1 = --ready-fd ] && printf $1 >/proc/self/fd/\$2; shift; done"; }
refused() { # NAME DETAIL-PATTERN
	rm -f $work/ran
	mark
	is "$1: status" "$(status b touch ran)" 125
	has "$1: record" "$(records refuse)" "*reason=network stage=network*$2*"
	fails "$1: nothing was run" test -e $work/ran
	is "$1: nothing is left" "$(pgrep -u build -cf 'fake-slirp|sleep 730')" 0
}
fake 'echo out of order >&2; exit 3'
refused a_helper_that_dies 'out of order*ended before it was ready'
fake 'kill -9 $$'
refused a_helper_that_is_killed 'ended before it was ready'
fake "$(says 0); exec sleep 7302"
refused a_helper_that_says_something_else 'ended before it was ready'
fake 'yes | head -c 1000000; exec sleep 7304'
refused a_chattering_helper_that_hangs 'no answer'
fake "$(says 1); sleep 0.3"
mark
is a_helper_that_dies_after_ready "$(status b 'sleep 1; exit 6')" 6
has a_helper_that_dies_after_ready_record "$(records end)" '*exit=6 *net=lost*'
fake 'exec sleep 7305'
mark
b touch ran </dev/null 2>/dev/null &
client=$!
wait_for pgrep -u build -xf 'sleep 7305' >/dev/null
kill -KILL "$(pgrep -u build -o -x bwrap)"
wait $client
is a_fence_that_dies_while_the_helper_is_silent $? 125
has its_end_is_what_is_told "$(records refuse)" '*reason=fence stage=network*killed by signal 9*'
fails and_nothing_was_run test -e $work/ran
within=10 wait_for eval '! pgrep -u build -xf "sleep 7305" >/dev/null'
is and_no_helper_is_left "$(pgrep -u build -cxf 'sleep 7305')" 0
fake "sleep 2; exec /usr/bin/slirp4netns \"\$@\""
is a_slow_helper_is_waited_for "$(reach 198.51.100.2:8080)" '198.51.100.2:8080 yes quick'
fake 'perl -e "select undef, undef, undef, rand 0.2"; exec /usr/bin/slirp4netns "$@"'
bad=$(client bash -c "for ((i = 0; i < $attach; i++)); do [ \"\$(ssh ${options[*]} build@127.0.0.1 'python3 reach.py 198.51.100.2:8080' </dev/null 2>&1)\" = '198.51.100.2:8080 yes quick' ] || echo \$i; done")
is "attaches ${attach} of ${attach} behind delays" "$bad" ''
tools 'slirp4netns = /usr/bin/nothing-there'
mark
is an_absent_helper "$(status b true)" 125
has an_absent_helper_record "$(records refuse)" '*reason=tools*nothing-there*'
tools 'nft = /bin/false'
refused rules_that_cannot_be_loaded '/bin/false failed'
default_main

# --- what keeps a network from this host, and its cure
cured() { # NAME PATTERN OF WHAT IS SAID, OF THE CURE
	local probed found
	probed=$(stockade probe build | grep -A 1 '^missing *network ')
	has "$1: probe says so" "$probed" "*: $2"$'\n*'
	has "$1: and its cure" "$probed" "*mend: $3"
	found=$(stockade check build 2>&1)
	has "$1: so does check" "$found" "*real-run*$3*"
}
away() { # FILE NAME PATTERN CURE
	mv "$1" "$1.away"
	cured "$2" "$3" "$4"
	mv "$1.away" "$1"
}
slirp
away /usr/bin/slirp4netns no_helper '/usr/bin/slirp4netns: does not exist' 'apt install slirp4netns'
away /usr/sbin/nft no_nft '/usr/sbin/nft: does not exist' 'apt install nftables'
mount -t tmpfs none /dev/net
cured no_device '/dev/net/tun: No such file*' 'modprobe tun *'
umount /dev/net
mv /usr/sbin/nft /usr/sbin/nft.away
printf '#!/bin/sh\necho "Error: Could not process rule: Operation not supported" >&2\nexit 1\n' >/usr/sbin/nft
chmod 755 /usr/sbin/nft
cured no_rules '/usr/sbin/nft failed: *not supported*' 'modprobe -a nf_tables *'
mv /usr/sbin/nft.away /usr/sbin/nft
has otherwise_there_is_one "$(stockade probe build | grep -A 1 '^[a-z]* *network ')" 'ok *: works*'

# --- many at once
printf '[account]\nsessions_max = 100\nactor_sessions_max = 100\n[network]\nmode = slirp\nallow = 198.51.100.2:8080\n' | cat /etc/stockade/build.default - | profile
client ssh "${options[@]}" -M -S /tmp/network-master -o ControlPersist=600 -n -N -f build@127.0.0.1
got=$(client bash -c "for i in {1..10}; do for j in {1..5}; do ssh ${options[*]} -S /tmp/network-master build@127.0.0.1 'python3 reach.py 198.51.100.2:8080' </dev/null 2>&1 & done; done; wait" | cut -d' ' -f 1,2 | sort | uniq -c | tr -s ' ')
client ssh -S /tmp/network-master -O exit build@127.0.0.1 2>/dev/null
has runs_50_at_once "$got" ' 50 198.51.100.2:8080 yes'
within=10 wait_for eval '! helper >/dev/null'
is leaves_no_helper "$(helper | wc -l)" 0
is leaves_no_namespaces "$(lsns -t net -u -n -o NS,COMMAND 2>/dev/null | grep -c slirp)" 0
is leaves_no_processes "$(pgrep -u "$uid" -c 'bwrap|slirp|nft')" 0

rm -f /etc/resolv.conf
cp $dir/resolv.conf.kept /etc/resolv.conf
ip addr del 192.0.2.99/32 dev lo
ip route del local 203.0.113.64/26 dev lo
rm -f /usr/local/bin/fake-slirp $work/reach.py $work/flows.py $work/ca.pem $work/up
default_profile
totals network

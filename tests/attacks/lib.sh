# SPDX-License-Identifier: ISC
# What run.sh and the mutants are made of: accounts, landmarks, and how an attack is judged. After lib.sh of the system tests.
# shellcheck shell=bash disable=SC2034,SC2154
attacks=${ATTACKS:-/root/attacks}
base=/var/lib/stockade/tmp/build
profiles=/etc/stockade/profiles
outside=/srv/attacks/marker
count=0 controlled=0
# A multiplexed client leaves a master behind that holds what it inherited.
exec 3>&1

with() { { cat /etc/stockade/build.default && printf '%s\n' "$@"; } | profile; }

# --- connections: one for each account, shared
mux() { echo "/tmp/attacks-mux-$1"; }
connect() { # USER
	client ssh "${options[@]}" -o SendEnv=CANARY -M -S "$(mux "$1")" -N -f "$1@127.0.0.1" </dev/null >/dev/null 2>&1 3>&-
}
disconnect() { client ssh -S "$(mux "$1")" -O exit "$1@127.0.0.1" >/dev/null 2>&1; }
reconnect() { disconnect "$1" && connect "$1"; }
as() { # USER [SSH-OPTION...] CMD
	local user=$1
	shift
	timeout "${patience:-40}" "${as_client[@]}" ssh "${options[@]}" -S "$(mux "$user")" "$user@127.0.0.1" "$@"
}
s() { as "$target" "$@"; }
# A connection of its own.
new() { # [SSH-OPTION...] [CMD]
	timeout 40 "${as_client[@]}" ssh "${options[@]}" -S none "$target@127.0.0.1" "$@"
}

# The same beside the attack, until `kill $!`.
away() { # [SSH-OPTION...] [CMD]
	timeout 20 "${as_client[@]}" ssh "${options[@]}" -S none "$target@127.0.0.1" "$@" </dev/null >/dev/null 2>&1 3>&- &
}

# --- what the attacks find on the host
resident() { # USER: a process of the account's outside, with its home open
	pgrep -u "$1" -f '^sleep 8643' >/dev/null && return
	# shellcheck disable=SC2016
	runuser -u "$1" -- env ATTACKS_SECRET=1 bash -c 'cd && exec 7<. && exec sleep 8643' </dev/null >/dev/null 2>&1 3>&- &
	wait_for pgrep -u "$1" -f '^sleep 8643' >/dev/null
}
listeners() {
	cat >/tmp/attacks-listeners.py <<-'PY'
		import os, select, socket
		os.umask(0)
		heard = []
		def listen(family, kind, address):
		    if family == socket.AF_UNIX and address[0] != '\0':
		        os.makedirs(os.path.dirname(address), exist_ok=True)
		        if os.path.exists(address):
		            os.unlink(address)
		    one = socket.socket(family, kind)
		    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
		    if family == socket.AF_INET6:
		        one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
		    one.bind(address)
		    if kind == socket.SOCK_STREAM:
		        one.listen(64)
		    heard.append(one)
		for path in ('\0stockade-attacks-listener', '/run/stockade-attacks.sock', '/srv/stockade-sockets/s', '/usr/local/stockade-attacks.sock', '/tmp/ssh-attacks/agent.1', '/tmp/.X11-unix/X77'):
		    listen(socket.AF_UNIX, socket.SOCK_STREAM, path)
		listen(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', 7777))
		listen(socket.AF_INET6, socket.SOCK_STREAM, ('::1', 7777))
		listen(socket.AF_INET, socket.SOCK_DGRAM, ('127.0.0.1', 7777))
		while True:
		    for one in select.select(heard, [], [])[0]:
		        if one.type == socket.SOCK_DGRAM:
		            one.sendto(b'answer', one.recvfrom(99)[1])
		        else:
		            other = one.accept()[0]
		            try:
		                other.sendall(b'attacks-banner\n')
		            except OSError:
		                pass
		            other.close()
	PY
	python3 /tmp/attacks-listeners.py 3>&- &
	listener=$!
}
landmarks() {
	local user directory
	install -d -m 1777 /srv/attacks
	for user in build plain; do
		for directory in /tmp /var/tmp /dev/shm; do install -m 644 -o "$user" /dev/null "$directory/attacks-host-$user"; done
		echo secret >"/home/$user/attacks-host" && chown "$user" "/home/$user/attacks-host"
		resident "$user"
	done
	chmod 755 /home/client
	install -d -m 1777 /run/lock
	for directory in /var/log /var/spool /var/lib/stockade /run /run/lock /home/client; do : >"$directory/attacks-host"; done
	perl -e 'shmget(0x57ac, 4096, 01666) // die; msgget(0x57ac, 01666) // die'
	cp -L "$(command -v perl)" /usr/local/bin/attacks-capable && setcap cap_setuid+ep /usr/local/bin/attacks-capable
	printf '#include <stdio.h>\n#include <unistd.h>\nint main(void) { printf("%%d\\n", IDS()); return 0; }\n' >/tmp/attacks.c
	gcc -DIDS=geteuid -o /usr/local/bin/attacks-setuid /tmp/attacks.c && chmod 4755 /usr/local/bin/attacks-setuid
	gcc -DIDS=getegid -o /usr/local/bin/attacks-setgid /tmp/attacks.c && chmod 2755 /usr/local/bin/attacks-setgid
}
# Enrolled for the confined account; for plain, everything that an administrator could have left open.
accounts() {
	stockade enroll build --workspace "$work" --key /home/client/.ssh/id_ed25519.pub >/tmp/attacks-enroll.log 2>&1 || not_ok "enroll: $(tail -n 1 /tmp/attacks-enroll.log)"
	rm -f /etc/ssh/sshd_config.d/stockade.conf
	cat >/etc/ssh/sshd_config.d/40-attacks.conf <<-'CONFIG'
		PermitUserEnvironment yes
		X11Forwarding yes
		Match User plain
		    AcceptEnv *
		    PermitUserRC yes
		    PermitTunnel yes
		    AllowTcpForwarding yes
		    AllowStreamLocalForwarding yes
		    AllowAgentForwarding yes
		    X11Forwarding yes
		    AuthorizedKeysFile /etc/ssh/keys/%u .ssh/authorized_keys
	CONFIG
	reload_sshd
}
tear_down() {
	disconnect build
	disconnect plain
	kill "$listener" 2>/dev/null
	pkill -f '^sleep 864[0-9]'
	rm -rf /srv/stockade-sockets /usr/local/stockade-attacks.sock /etc/ssh/sshd_config.d/40-attacks.conf /usr/local/bin/attacks-* /run/attacks-host
	default_profile
}

# --- payloads
header() { sed -n "s/^# $2: //p" "$1" | head -n 1; }
script() { # FILE
	cat "$1"
	# shellcheck disable=SC2016
	printf 'umask 022\nattack </dev/null\nstatus=$?\nrm -rf setuid* attacks-link m\necho "attack: $status"\n'
}
# The wall taken out, by whatever it is made of.
fence() { # CMD...: like the gateway's, but nothing sealed, no filter
	printf '%s ' bwrap --unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib \
		--symlink usr/lib64 /lib64 --tmpfs /etc --proc /proc --dev /dev --dir /run --dir /home/plain --bind /srv/work/plain /srv/work/plain --chdir /srv/work/plain "$@"
}
# All of them in one request; each in a shell of its own, which says how it ended.
batch() { # FILE...
	local file
	for file; do
		printf "echo '=== %s'\ntimeout 30 sh -s 2>&1 <<'END OF ATTACK'\n" "$(basename "$file" .sh)"
		script "$file"
		echo 'END OF ATTACK'
	done
}
run_batch() { # HOW FILE...
	local how=$1 patience=600
	shift
	case $how in
	build) as build -T -o SendEnv=CANARY 'sh -s' ;;
	'') as plain -T -o SendEnv=CANARY 'cd /srv/work/plain; exec sh -s' ;;
	root) (cd /srv/attacks && sh -s) ;;
	fence) as plain -T "$(fence sh -s)" ;;
	*'sh -s'*) as plain -T "cd /srv/work/plain; $how" ;;
	*) as plain -T "cd /srv/work/plain; $how sh -s" ;;
	esac < <(batch "$@") 2>&1
}
# Fills said[NAME] and ended[NAME]: 0 succeeded, 1 refused.
declare -A said ended
attempt() { # HOW FILE...
	local line name='' text
	said=() ended=()
	target=plain
	[ "$1" != build ] || target=build
	resident $target
	text=$(CANARY=1 run_batch "$@")
	while IFS= read -r line; do
		case $line in
		'=== '*) name=${line#=== } ;;
		'attack: '*) ended[$name]=${line#attack: } ;;
		*) said[${name:-none}]+="$line " ;;
		esac
	done <<<"$text"
}
# For one that is looked after by root when the command has ended.
attempt_alone() { # HOW FILE
	local name
	name=$(basename "$2" .sh)
	attempt "$@"
	if grep -q '^after()' "$2" && [ "${ended[$name]:-}" = 0 ]; then
		# shellcheck disable=SC1090
		ended[$name]=$(. "$2" && after >/dev/null; echo $?)
	fi
}
judge() { # TITLE NAME WANTED
	if [ "${ended[$2]:-}" = "$3" ]; then ok "$1"; else not_ok "$1: ended with '${ended[$2]:-}', wanted $3 (0 succeeded, 1 refused): ${said[$2]:-}${said[none]:-}"; fi
}
is_alone() { grep -q '^# alone$' "$1"; }
controls() {
	local file name how together=()
	for file; do
		how=$(header "$file" control)
		controlled=$((controlled + 1))
		if [ -z "$how" ] && ! is_alone "$file"; then
			together+=("$file")
			continue
		fi
		name=$(basename "$file" .sh)
		attempt_alone "$how" "$file"
		judge "control_$name" "$name" 0
	done
	[ ${#together[@]} -eq 0 ] || attempt '' "${together[@]}"
	for file in ${together[@]+"${together[@]}"}; do
		name=$(basename "$file" .sh)
		judge "control_$name" "$name" 0
	done
}
payloads() { # LABEL FILE...
	local file name label=$1 together=()
	shift
	reconnect build
	for file; do
		if ! is_alone "$file"; then
			together+=("$file")
			continue
		fi
		name=$(basename "$file" .sh)
		attempt_alone build "$file"
		judge "$name ($label)" "$name" 1
	done
	[ ${#together[@]} -eq 0 ] || attempt build "${together[@]}"
	for file in ${together[@]+"${together[@]}"}; do
		name=$(basename "$file" .sh)
		judge "$name ($label)" "$name" 1
	done
}
is_chosen() { # FILE
	local name needs
	name=$(basename "$1" .sh)
	[ -z "${ONLY:-}" ] || [[ " $ONLY " == *" $name "* ]] || return 1
	[[ ${EXPECT_LACKS:-} != *pidns* ]] || [ "$(header "$1" guarantee)" != G9 ] || return 1
	needs=$(header "$1" needs)
	[ -z "$needs" ] || { bash -c "$needs" || false; } >/dev/null 2>&1 || { echo "note: $name: this kernel has no such thing" && return 1; }
}
choose() { # DIRECTORY: sets chosen
	local file
	chosen=()
	for file in "$attacks/$1"/*.sh; do ! is_chosen "$file" || chosen+=("$file"); done
	count=$((count + ${#chosen[@]}))
}
# Another session of each account, with something in its private places.
neighbours() {
	local user
	for user in build plain; do
		target=$user new "touch /tmp/attacks-session-$user ~/attacks-session-$user; sleep 8644" </dev/null >/dev/null 2>&1 3>&- &
	done
	wait_for eval 'pgrep -u build -f "^sleep 8644" && pgrep -u plain -f "^sleep 8644"' >/dev/null
}

# --- clients
client_once() { # FILE MODE: 0 succeeded, 1 refused
	(
		mode=$2 target=build
		[ "$mode" = attack ] || target=plain
		prepare() { :; }
		cleanup() { :; }
		# shellcheck disable=SC1090
		. "$1"
		default_profile
		prepare
		dir=/srv/work/$target marker=/srv/work/$target/marker
		rm -f $outside "$marker"
		attack 3>&-
		status=$?
		cleanup
		rm -f $outside "$marker"
		exit $status
	) </dev/null
}
client_attack() { # FILE
	local name mode wanted out status title began
	name=$(basename "$1" .sh)
	for mode in control attack; do
		[ $mode = attack ] || [ "${CONTROLS:-yes}" = yes ] || continue
		wanted=1
		[ $mode = attack ] || { wanted=0 && controlled=$((controlled + 1)); }
		began=${EPOCHREALTIME/[.,]/}
		out=$(client_once "$1" $mode 2>&1)
		status=$?
		[ -z "${TIMES:-}" ] || echo "time: $((${EPOCHREALTIME/[.,]/} - began)) $name $mode"
		title=$name
		[ $mode = attack ] || title=control_$name
		if [ $status -eq $wanted ]; then ok "$title"; else not_ok "$title: status $status, wanted $wanted: ${out:0:300}"; fi
	done
	default_profile
}
# For those whose wall is the rules: the same text with and without them.
rules() { # LINE...
	target=build
	if [ "$mode" = attack ]; then with "$@"; else default_profile; fi
}

# A tool that the rules allow and that starts a shell: it has to, says "started", and reads what is outside or not.
a_tool_runs() { # CMD
	local said status
	said=$(s "$1" 2>&1)
	status=$?
	case $said in *started*) ;; *) echo "the tool started no shell: status $status: $said" && return 2 ;; esac
	case $said in *secret*) return 0 ;; esac
	return 1
}

# --- a profile, or a tool, that is not root's alone
runs_a_marker() {
	runuser -u build -- /usr/bin/stockade-gateway -c 'touch marker'
	[ -e "$marker" ]
}
mend_profiles() {
	chmod 755 $profiles && chown root:root $profiles
	rm -f $profiles/build.ini /etc/stockade/real.ini
	default_profile
	chown root:root $profiles/build.ini && chmod 644 $profiles/build.ini
}
forge_bwrap() {
	install -d -m 755 /opt/attacks
	cat >/opt/attacks/bwrap.c <<-'C'
		#include <fcntl.h>
		#include <unistd.h>
		int main(void) { close(open("/srv/attacks/marker", O_CREAT | O_WRONLY, 0666)); return 1; }
	C
	gcc -o /opt/attacks/bwrap /opt/attacks/bwrap.c
	printf '[tools]\nbwrap = /opt/attacks/bwrap\n' | main_settings
}
runs_forged_bwrap() {
	runuser -u build -- /usr/bin/stockade-gateway -c true
	[ -e $outside ]
}
remove_forged_bwrap() { rm -rf /opt/attacks && default_main; }

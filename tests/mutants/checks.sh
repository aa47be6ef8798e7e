# SPDX-License-Identifier: ISC
# What no attack of tests/attacks looks at, each as small as can be: 0 where it holds. After tests/attacks/lib.sh.
# shellcheck shell=bash disable=SC2154

check_cgroup_root() { [ "$(s 'grep ^0:: /proc/self/cgroup')" = 0::/ ]; }
check_dies_with_the_gateway() {
	local status=0
	s 'exec sleep 8647' &
	wait_for eval 'pgrep -u build -f "^sleep 8647" >/dev/null'
	# Its scope's monitor is not told either.
	pkill -9 -u build -x stockade-gatewa
	sleep 0.7
	pgrep -u build -f '^sleep 8647' >/dev/null && status=1
	pkill -9 -u build -f '^sleep 8647'
	wait $!
	return $status
}
check_access_read() {
	sed -i 's/^path = .*/&\naccess = read/' "$profiles/build.ini"
	s "touch $marker"
	[ ! -e "$marker" ] && s 'true'
}
check_read_is_read_only() {
	local status=0
	install -d -m 755 /srv/attacks-shown && install -m 666 /dev/null /srv/attacks-shown/file
	with '[view]' 'read = /srv/attacks-shown'
	s 'echo x >/srv/attacks-shown/file'
	[ ! -s /srv/attacks-shown/file ] && s 'test -e /srv/attacks-shown/file' || status=1
	rm -rf /srv/attacks-shown
	return $status
}
check_hide() {
	with '[view]' 'hide = /usr/share/perl'
	[ "$(s 'ls -A /usr/share/perl; echo ran')" = ran ]
}
check_shown_swappable() {
	local out
	install -d -o build /srv/attacks-own && install -d -o root /srv/attacks-own/tools
	with '[view]' 'read = /srv/attacks-own/tools'
	out=$(s 'echo ran')
	rm -rf /srv/attacks-own
	[ -z "$out" ]
}
check_foreign_workspace() {
	local out
	install -d -o plain -g plain /srv/attacks-own
	sed -i 's|^path = .*|path = /srv/attacks-own|' "$profiles/build.ini"
	out=$(s 'echo ran')
	rm -rf /srv/attacks-own
	[ -z "$out" ]
}
check_connections_apart() {
	local found
	new 'touch /tmp/attacks-apart; sleep 8648' &
	wait_for eval 'pgrep -u build -f "^sleep 8648" >/dev/null'
	found=$(s 'ls /tmp; echo ran')
	pkill -u build -f '^sleep 8648'
	wait $!
	case $found in *attacks-apart*) return 1 ;; *ran*) return 0 ;; esac
	return 2
}
check_nothing_left() {
	with '[tmp]' 'mode = command'
	s 'touch /tmp/attacks-left'
	[ -z "$(find "$base" -name attacks-left | tee /dev/stderr)" ]
	local status=$?
	find "$base" -mindepth 1 -maxdepth 1 -newer "$profiles/build.ini" ! -name runs -exec rm -rf {} +
	reconnect build
	return $status
}
check_base_mode() {
	local out
	chmod 755 "$base"
	out=$(runuser -u build -- /usr/bin/stockade-gateway -c 'echo ran')
	chmod 700 "$base"
	[ -z "$out" ]
}
check_rule_exact() {
	with '[allow]' 'one = echo ran'
	[ "$(s 'echo ran')" = ran ] && [ -z "$(s 'echo ran more')" ]
}
check_enforce_required() {
	sed -i 's/^enforce = .*/enforce = required/' "$profiles/build.ini"
	[ -z "$(s 'echo ran')" ]
}
check_actor_places() {
	local out
	with '[actors]' "alice = $(ssh-keygen -l -f /home/client/.ssh/id_ed25519.pub | cut -d' ' -f2)" '[account]' 'actor_sessions_max = 1'
	s 'sleep 8649' &
	wait_for eval 'pgrep -u build -f "^sleep 8649" >/dev/null'
	out=$(s 'echo ran')
	pkill -u build -f '^sleep 8649'
	wait $!
	[ -z "$out" ]
}
check_log_none() {
	with '[log]' 'command = none'
	mark
	s ': attacks-told'
	[ -n "$(records start)" ] && ! records | grep -q attacks-told
}
check_status() { [ "$(status s 'exit 42')" = 42 ] && [ "$(status s 'kill -TERM $$')" = 143 ]; }
check_input_end() { [ "$(printf x | patience=20 s 'cat; echo end')" = xend ]; }
check_timeout() {
	with '[time]' 'timeout = 1s' 'grace = 1s'
	[ "$(status s 'sleep 5')" = 124 ]
}
check_polite() {
	with '[time]' 'timeout = 1s' 'grace = 5s'
	case $(s 'trap "echo told; exit" TERM; sleep 4 & wait' 2>/dev/null) in *told*) return 0 ;; esac
	return 1
}
check_stubborn() {
	with '[time]' 'timeout = 1s' 'grace = 1s'
	rm -f "$work/late"
	s 'trap "" TERM; sleep 12; touch late'
	[ ! -e "$work/late" ]
}
check_disconnect() {
	local status=0 pid
	with '[time]' 'grace = 1s'
	"${as_client[@]}" ssh "${options[@]}" -S "$(mux build)" build@127.0.0.1 'exec sleep 8650' >/dev/null 2>&1 &
	wait_for eval 'pgrep -u build -f "^sleep 8650" >/dev/null'
	pid=$(pgrep -u client -f 'exec sleep 8650' | tail -n 1)
	kill -9 "$pid"
	within=4 wait_for eval '! pgrep -u build -f "^sleep 8650" >/dev/null' || status=1
	pkill -u build -f '^sleep 8650'
	return $status
}
check_output() {
	with '[output]' 'max = 10K'
	[ "$(s 'head -c 100000 /dev/zero' | wc -c)" -le 20480 ]
}
check_umask() {
	sed -i 's/^path = .*/&\numask = 077/' "$profiles/build.ini"
	s "touch $marker"
	[ "$(stat -c %a "$marker")" = 600 ]
}

# SPDX-License-Identifier: ISC
# A bwrap that lies, hangs or dies, and what has to come of it: a refusal in bounded time, nothing run unconfined, and
# no command run twice. Runs as root in a bed, after setup.sh.
# shellcheck shell=bash
marker=$work/marker
fake() { # SCRIPT-LINES...
	mkdir -p /opt/fake
	printf '%s\n' '#!/bin/bash' 'args=$2' 'status=$(tr "\0" "\n" <&"$args" | grep -A1 -x -e --json-status-fd | tail -n 1)' "$@" >/opt/fake/bwrap
	chmod 755 /opt/fake/bwrap
	printf '[tools]\nbwrap = /opt/fake/bwrap\n' | main_settings
}
refused() { # NAME REASON SECONDS
	local began=$SECONDS
	rm -f $marker
	mark
	b "touch $marker" >/tmp/fake.out 2>&1 </dev/null
	is "$1: status" $? 125
	has "$1: sentence" "$(cat /tmp/fake.out)" '*stockade: *'
	has "$1: record" "$(records refuse)" "*reason=$2 *"
	is "$1: no start record" "$(records start | wc -l)" 0
	fails "$1: nothing ran" test -e $marker
	is "$1: in bounded time" "$((SECONDS - began <= $3))" 1
}
default_profile
fake 'exit 0' && refused exits_with_success fence 20
fake 'exit 1' && refused exits_with_failure fence 20
fake 'echo "{ \"child-pid\": $$ }" >&"$status"; exit 0' && refused names_itself_and_exits fence 20
fake 'echo "garbage" >&"$status"; sleep 100' && refused writes_garbage fence 20
fake 'printf "{ \"child-pid\": " >&"$status"; exit 0' && refused writes_half_a_line fence 20
fake 'echo "{ \"child-pid\": -5 }" >&"$status"; sleep 100' && refused names_no_process fence 20
fake 'echo "{ \"exit-code\": 0 }" >&"$status"; sleep 100' && refused tells_of_an_end_before_a_start fence 20
fake 'kill -KILL $$' && refused dies_of_a_signal fence 20
fake 'exec sleep 1000' && refused hangs fence 75
fails leaves_no_fake_behind pgrep -f 'sleep 1000|sleep 100$'
default_main

# --- the monitor is killed after the release: the command ran once, and not again
rm -f $marker
mark
b "echo run >>$marker; sleep 3000" >/dev/null 2>&1 </dev/null &
running=$!
wait_for test -e $marker
monitor=$(pgrep -f '^/usr/bin/bwrap' | head -n 1)
kill -9 "$monitor"
wait $running
is monitor_killed:_status $? 125
is monitor_killed:_ran_once "$(wc -l <$marker)" 1
has monitor_killed:_record "$(records end)" '* by=gateway exit=125 *'
fails monitor_killed:_leaves_no_command pgrep -x sleep

# --- systemd-run fails although all seems there: not a lower grade
mkdir -p /opt/fake && printf '#!/bin/sh\nexit 1\n' >/opt/fake/systemd-run && chmod 755 /opt/fake/systemd-run
printf '[tools]\nsystemd_run = /opt/fake/systemd-run\n' | main_settings
refused systemd_run_fails fence 20
default_main

# --- the good path runs no program but the chain's
if command -v strace >/dev/null; then
	loginctl enable-linger build && wait_for test -S /run/user/1000/systemd/private
	runuser -u build -- strace -f -qq -e trace=execve -o /tmp/execs /usr/bin/stockade-gateway -c true >/dev/null 2>&1
	is runs_no_extra_program "$(grep -c '= 0$' /tmp/execs)" "$(grep -cE 'execve\("/usr/bin/(stockade-gateway|systemd-run|env|bwrap|prlimit)"|execve\("/bin/sh"' /tmp/execs)"
	loginctl disable-linger build
fi
succeeds works_afterwards b true
totals fakes

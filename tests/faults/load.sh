# SPDX-License-Identifier: ISC
# How runs end, many of them, and what people do on a terminal. Runs as root in a bed, after setup.sh; tests/faults/lib.sh
# stands before it. LOAD: how many sessions in a row; OUTPUT_MB: how much one prints.
# shellcheck shell=bash disable=SC2016,SC2154
rows=${LOAD:-100} output_mb=${OUTPUT_MB:-500}
cd /tmp || exit 1
rm -rf load && client mkdir load && cd load || exit 1
printf '[time]\ngrace = 1s\n' | cat /etc/stockade/build.default - | profile
find "$base" -mindepth 1 -maxdepth 1 ! -name runs -exec rm -rf {} +
rm -f "$work"/mark-*

# --- how a run ends
# Starts a command, waits until it wrote mark-ready in the workspace; the client's output is in out, its pid in $client.
begin() { # SSH-WORD...
	rm -f "$work/mark-ready" out
	mark
	b "$@" >out 2>&1 <"${input:-/dev/null}" &
	client=$!
	wait_for test -e "$work/mark-ready" || not_ok "begins: $*: $(cat out)"
}
ssh_pid() { pgrep -u client -n -x ssh; }
gateway_pid() { pgrep -u build -o -x stockade-gatewa; }
newest_gateway() { pgrep -u build -n -x stockade-gatewa; }
ends_as() { # NAME STATUS END-PATTERN: of the client, of the record; nothing is left
	local got
	within=10 wait_for eval "! kill -0 $client 2>/dev/null" || kill "$client"
	wait "$client"
	got=$?
	[ "$2" = - ] || is "$1_status" "$got" "$2"
	within=10 wait_for eval 'records end | grep -q .'
	has "$1_record" "$(records end)" "$3"
	leaves_nothing "$1_leaves_nothing" 'mark-ready|sleep 54'
}
trap_of() { echo "trap 'touch mark-trapped; echo trapped; exit $2' $1; touch mark-ready; while :; do sleep 0.05; done"; }
trapped() { # NAME
	if [ -e "$work/mark-trapped" ]; then ok "$1"; else not_ok "$1"; fi
	rm -f "$work/mark-trapped"
}

begin "$(trap_of TERM 5)"
kill -TERM "$(gateway_pid)"
ends_as term_to_the_gateway 5 '*by=admin exit=5 *'
trapped term_runs_the_trap
is term_delivers_the_last_output "$(grep -x trapped out)" trapped

# Who has more grace is still there when the other is gone.
printf '[time]\ngrace = 60s\n' | cat /etc/stockade/build.default - | profile
begin "trap '' TERM HUP; touch mark-ready; sleep 5412"
patient=$client
printf '[time]\ngrace = 1s\n' | cat /etc/stockade/build.default - | profile
begin "trap '' TERM HUP; setsid sh -c \"trap '' TERM HUP; touch mark-ready; sleep 5401\" & sleep 5402; wait"
kill -TERM "$(gateway_pid)" "$(newest_gateway)"
wait_for eval '! kill -0 $client 2>/dev/null'
is ignored_term_ends_after_its_own_grace "$(pgrep -u build -xc 'sleep')" 1
pkill -9 -u build -xf 'sleep 5412'
wait $patient
ends_as ignored_term 137 '*by=admin exit=137 *'

begin "touch mark-ready; kill -STOP \$\$; sleep 5403"
kill -TERM "$(gateway_pid)"
ends_as stopped_command - '*by=admin *'

begin "$(trap_of HUP 3) 2>/dev/null"
kill -9 "$(ssh_pid)"
ends_as killed_client - '*by=disconnect *'
trapped killed_client_runs_the_trap

begin -tt "$(trap_of HUP 3)"
kill -9 "$(ssh_pid)"
ends_as killed_client_with_a_terminal - '*by=disconnect *'
trapped killed_client_with_a_terminal_runs_the_trap

begin "touch mark-ready; exec sleep 5404"
kill -9 "$(ssh_pid)"
ends_as killed_client_of_a_silent_command - '*by=disconnect *'

begin "$(trap_of HUP 3) >/dev/null 2>&1"
kill -INT "$(ssh_pid)"
ends_as ctrl_c_without_a_terminal - '*by=disconnect *'
trapped ctrl_c_without_a_terminal_runs_the_trap

client ssh "${options[@]}" -M -S master -o ControlPersist=60 -n -N -f build@127.0.0.1
begin -S /tmp/load/master "$(trap_of HUP 3) >/dev/null 2>&1"
kill -9 "$(ssh_pid)"
ends_as one_client_of_a_connection - '*by=disconnect *'
trapped one_client_of_a_connection_runs_the_trap
is other_commands_of_the_connection_go_on "$(b -S /tmp/load/master echo on)" on
client ssh -S master -O exit build@127.0.0.1 2>/dev/null

begin "touch mark-ready; cat; sleep 0.5; echo late; exit 4"
ends_as end_of_input_is_no_disconnect 4 '*by=payload exit=4 *'
is end_of_input_delivers_late_output "$(cat out)" late

begin "touch mark-ready; exec sleep 5405"
kill -9 "$(gateway_pid)"
within=5 wait_for eval '! pgrep -u build -xf "sleep 5405" >/dev/null'
is killed_gateway_ends_the_command "$(pgrep -u build -xf 'sleep 5405' | wc -l)" 0
b true </dev/null
ends_as killed_gateway 255 '*by=lost *'

# Several targets at once, under a shell and over each way that make's end can come.
printf 'all: one two three\none two three:; echo half >$@; sleep 5406; echo done >>$@\n' >"$work/half.mk"
halves() { (cd "$work" && ls one two three 2>/dev/null); }
begin_make() { # SSH-WORD...
	begin "$@" "${first:-}"'(until [ -e one ] && [ -e two ] && [ -e three ]; do sleep 0.05; done; touch mark-ready) & make -j3 -f half.mk; exit $?'
}
no_halves() { # NAME
	is "$1_leaves_no_half_target" "$(halves)" ''
	rm -f "$work"/{one,two,three}
}
begin_make
kill -TERM "$(gateway_pid)"
ends_as interrupted_make - '*by=admin *'
no_halves interrupted_make
# make dies of a message that it cannot write any more before it removes anything: not ours to mend.
first='exec >mark-make 2>&1; '
begin_make
unset first
kill -9 "$(ssh_pid)"
ends_as make_of_a_lost_client - '*by=disconnect *'
no_halves make_of_a_lost_client
input=/tmp/load/typed
mkfifo $input && chmod 644 $input
exec 8<>$input
begin_make -tt
printf '\003' >&8
ends_as make_with_ctrl_c 130 '*by=payload *'
no_halves make_with_ctrl_c
exec 8>&-
rm -f "$work/half.mk" $input
unset input

# The first process dies of the signal at once; those below it have their grace all the same, in groups of their own too.
slow="sh -c \"trap 'sleep 0.5; touch mark-trapped; exit 0' TERM HUP; touch mark-ready; while :; do sleep 0.05; done\""
printf '[time]\ngrace = 10s\n' | cat /etc/stockade/build.default - | profile
begin "$slow; :"
kill -TERM "$(gateway_pid)"
ends_as slow_child_of_a_shell 143 '*by=admin exit=143 signal=TERM *'
trapped slow_child_of_a_shell_has_its_grace
begin "set -m; $slow & wait"
kill -TERM "$(gateway_pid)"
ends_as slow_job_of_a_shell 143 '*by=admin exit=143 signal=TERM *'
trapped slow_job_of_a_shell_has_its_grace
begin "$slow >/dev/null 2>&1; :"
kill -9 "$(ssh_pid)"
ends_as slow_child_of_a_lost_client - '*by=disconnect *'
trapped slow_child_of_a_lost_client_has_its_grace
printf '[time]\ngrace = 1s\n' | cat /etc/stockade/build.default - | profile

# A parent in vfork() sleeps until its child, here a stopped one, goes on.
begin 'touch mark-ready; exec python3 -c "
import ctypes, os, signal
libc = ctypes.CDLL(None)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if libc.vfork() == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(0)
"; sleep 5410'
kill -TERM "$(gateway_pid)"
ends_as stopped_vfork - '*by=admin *'

client ssh "${options[@]}" -M -S master -o ControlPersist=60 -n -N -f build@127.0.0.1
begin -S /tmp/load/master "$(trap_of HUP 3) >/dev/null 2>&1"
kill -9 "$(client ssh -S master -O check build@127.0.0.1 2>&1 | tr -dc 0-9)"
ends_as killed_master - '*by=disconnect *'
trapped killed_master_runs_the_trap
rm -f master # which a killed one leaves

begin "$(trap_of HUP 3) >/dev/null 2>&1"
kill -9 "$(pgrep -u build -n sshd)"
ends_as killed_sshd - '*by=disconnect *'
trapped killed_sshd_runs_the_trap

# A client that is still there and does not answer any more, or whose network is gone: sshd notices, by ClientAliveInterval.
printf 'ClientAliveInterval 1\nClientAliveCountMax 2\n' >/etc/ssh/sshd_config.d/10-alive.conf
reload_sshd
silent() { # NAME HOW BACK SSH-WORD...
	local name=$1 how=$2 back=$3
	shift 3
	begin "$@" "$(trap_of HUP 3) >/dev/null 2>&1"
	eval "$how"
	wait_for eval 'records end | grep -q .'
	eval "$back"
	ends_as "$name" - '*by=disconnect *'
	trapped "${name}_runs_the_trap"
}
cut_network='nft add table inet cut && nft add chain inet cut in "{ type filter hook input priority 0; }" && nft add rule inet cut in tcp dport 22 drop'
silent stopped_client 'stopped=$(ssh_pid) && kill -STOP $stopped' 'kill -CONT $stopped'
silent network_is_gone "$cut_network" 'nft delete table inet cut'
silent network_is_gone_with_a_terminal "$cut_network" 'nft delete table inet cut' -tt
rm /etc/ssh/sshd_config.d/10-alive.conf
reload_sshd

# Whoever waits for a place and goes has a record too.
printf '[account]\nsessions_max = 1\nqueue = 60s\n[time]\ngrace = 1s\n' | cat /etc/stockade/build.default - | profile
begin "touch mark-ready; exec sleep 5411"
running=$client
queued() { # NAME SIGNAL-COMMAND SSH-WORD...
	local name=$1 how=$2
	shift 2
	mark
	b "$@" true >queued.out 2>&1 </dev/null &
	wait_for eval 'ls $base/runs | grep -q ^wait-' || not_ok "$name: does not wait"
	eval "$how"
	within=10 wait_for eval 'records refuse | grep -q .'
	has "$name" "$(records refuse)" '*reason=busy stage=place *'
}
queued terminated_in_the_queue_has_a_record 'kill -TERM "$(newest_gateway)"'
queued hung_up_in_the_queue_has_a_record 'kill -9 "$(ssh_pid)"' -tt
mark
kill -9 "$(ssh_pid)"
wait "$running"
within=10 wait_for eval 'records end | grep -q .'
leaves_nothing queue_leaves_nothing 'mark-ready|sleep 54'

printf '[time]\ngrace = 1s\ntimeout = 1s\n' | cat /etc/stockade/build.default - | profile
begin "touch mark-ready; exec sleep 5407"
ends_as timeout 124 '*by=timeout exit=124 *'
has timeout_says_so "$(cat out)" 'stockade: *'
default_profile

# --- many
count() { all_records | grep -c "^$1 "; }
starts=$(count start) ends=$(count end)
client ssh "${options[@]}" -M -S master -o ControlPersist=600 -n -N -f build@127.0.0.1
b -S master true </dev/null # by now sshd has a process of the account's
pid=$(pgrep -u build -n sshd)
descriptors() { find "/proc/$pid/fd" -mindepth 1 | wc -l; }
# Of what lives longer than a command: sshd's process and the user manager, KiB.
memory() { for each in "$pid" $(pgrep -u build -x systemd); do cat "/proc/$each/status"; done | awk '/^RssAnon/ { sum += $2 } END { print sum }'; }
in_a_row() { # COUNT: prints what went wrong
	client bash -c "for ((i = 0; i < $1; i++)); do [ \"\$(ssh ${options[*]} -S master build@127.0.0.1 \"echo \$i\" </dev/null 2>&1)\" = \$i ] || echo \$i; done"
}
bad=$(in_a_row 20)
before=$(descriptors) before_kb=$(memory)
bad=$bad$(in_a_row $((rows - 20)))
is runs_so_many_in_a_row "$bad" ''
is gives_back_descriptors_of_sshd "$(descriptors)" "$before"
is keeps_memory_flat "$(($(memory) - before_kb <= 1024))" 1
printf '[account]\nsessions_max = 200\n' | cat /etc/stockade/build.default - | profile
bad=$(client bash -c "for i in {1..100}; do (got=\$(ssh ${options[*]} -S master build@127.0.0.1 'read x; echo \$x' <<<\$i 2>&1); [ \"\$got\" = \$i ] || echo \"\$i: \$got\") & done; wait")
is runs_100_at_once "$bad" ''
client ssh -S master -O exit build@127.0.0.1 2>/dev/null
leaves_nothing many_leave_nothing 'mark-ready|sleep 54'
is starts_so_many "$(($(count start) - starts))" $((rows + 101))
is ends_so_many "$(($(count end) - ends))" $((rows + 101))
is forgets_all_scopes "$(runuser -u build -- env XDG_RUNTIME_DIR=/run/user/"$(id -u build)" systemctl --user list-units --all --no-legend 'stockade-*' 2>/dev/null | wc -l)" 0
default_profile

# --- clients that never read, never write, close one way only, or change their window without end
private_kb() { awk '/^Private_/ { sum += $2 } END { print sum + 0 }' "/proc/$1/smaps_rollup" 2>/dev/null || echo 999999; }
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
# The gateway of the command that runs: how much of it is its own, and whether it is idle meanwhile.
stays_small() { # NAME
	local pid before
	pid=$(gateway_pid)
	is "$1_keeps_the_gateway_small" "$(($(private_kb "$pid") <= 2048))" 1
	before=$(cpu_ticks "$pid")
	sleep 1
	is "$1_keeps_the_gateway_idle" "$(($(cpu_ticks "$pid") - before <= 20))" 1
}
# A reader that takes nothing: sshd's window fills up, then the pipe, then the command waits.
silent_reader() { # SSH-WORD...
	rm -f "$work/mark-ready"
	mark
	setsid runuser -u client -- bash -c 'ssh "$@" </dev/null 2>&1 | sleep 7601' bash "${options[@]}" build@127.0.0.1 "$@" >/dev/null 2>&1 &
	client=$!
	wait_for test -e "$work/mark-ready"
	sleep 1
}
end_reader() { # NAME
	pkill -u client -x ssh
	pkill -u client -xf 'sleep 7601'
	wait $client
	within=15 wait_for eval 'records end | grep -q .'
	has "$1_ends_with_its_client" "$(records end)" '*by=disconnect *'
	leaves_nothing "$1_leaves_nothing" 'mark-ready|yes'
}
silent_reader 'touch mark-ready; exec yes'
stays_small a_client_that_never_reads
end_reader a_client_that_never_reads
silent_reader -tt 'touch mark-ready; exec yes'
stays_small a_terminal_that_never_reads
end_reader a_terminal_that_never_reads
# The end comes although the client takes not even the line that tells of it.
printf '[time]\ngrace = 1s\ntimeout = 3s\n' | cat /etc/stockade/build.default - | profile
silent_reader 'touch mark-ready; exec yes >&2'
wait_for eval 'records end | grep -q .'
has timeout_of_one_that_never_reads "$(records end)" '*by=timeout *'
if within=30 wait_for eval '[ -z "$(places)$(directories)" ]'; then ok timeout_of_one_that_never_reads_leaves_nothing; else not_ok "timeout_of_one_that_never_reads_leaves_nothing: $(places; directories)"; fi
pkill -u client -x ssh
pkill -u client -xf 'sleep 7601'
wait $client
printf '[output]\nmax = 100G\n' | cat /etc/stockade/build.default - | profile
# A reader that has enough: the command learns of it by its next write, as without the count.
mark
sleep 7602 | b 'yes; echo $? >mark-enough' 2>/dev/null | head -n 1 >/dev/null &
wait_for test -s "$work/mark-enough"
is a_counted_reader_that_has_enough_is_noticed "$(cat "$work/mark-enough")" 141
pkill -xf 'sleep 7602'
silent_reader 'touch mark-ready; exec yes'
stays_small a_counted_client_that_never_reads
end_reader a_counted_client_that_never_reads
begin 'touch mark-ready; head -c 1G /dev/zero; exec sleep 5408'
wait_for eval '[ "$(stat -c %s out)" -ge 1073741824 ]'
is a_counted_gigabyte_arrives "$(stat -c %s out)" 1073741824
stays_small a_counted_gigabyte
kill -9 "$(ssh_pid)"
ends_as a_counted_gigabyte - '*by=disconnect *'
default_profile
rm -f out
is "prints_${output_mb}_MB" "$(b "head -c ${output_mb}M /dev/zero" </dev/null | wc -c)" $((output_mb * 1048576))
is trickles_one_byte_at_a_time "$( (for i in 1 2 3; do sleep 0.7; printf $i; done) | b 'timeout 20 cat; echo .')" 123.
is takes_no_input_and_goes_on "$(sleep 3 | b 'exec <&-; sleep 1; echo on')" on
# Output closed, input kept: the command learns of it by its next write, and is not ended before.
mark
b 'exec >/dev/null 2>&1; cat >mark-kept; exit 3' <<<kept >&- 2>&-
is a_command_without_output_reads_on "$(cat "$work/mark-kept")" kept
has a_command_without_output_reads_on_record "$(records end)" '*exit=3 *'
cat >flood.exp <<'TCL'
set timeout 60
set stty_init "rows 24 columns 80"
spawn -noecho {*}$argv
expect -ex "up-now"
for {set i 0} {$i < 3000} {incr i} { exec stty -F $spawn_out(slave,name) rows [expr {20 + $i % 30}] columns [expr {60 + $i % 50}] }
send "q\r"
expect { -ex "over" { } timeout { exit 99 } eof { exit 98 } }
catch { expect eof }
exit [lindex [wait] 3]
TCL
chmod 644 flood.exp
client expect -f flood.exp ssh "${options[@]}" -t build@127.0.0.1 'trap "n=\$((n+1))" WINCH; echo up-n""ow; until read x; do :; done; stty size; echo ov""er; exit 4' >flood.out 2>&1
is survives_a_flood_of_window_changes $? 4
has and_has_the_last_one "$(tr -d '\r' <flood.out)" '*49 109*over*'

# --- terminals
terminal() { # NAME STATUS STEPS SSH-WORD...
	local name=$1 status=$2 steps=$3 got
	shift 3
	printf '%s\n' "$steps" | drive 24 80 ssh "${options[@]}" build@127.0.0.1 -t "$@" >screen 2>said
	got=$?
	[ "$got" = "$status" ] || echo "# $(tail -n 5 screen | cat -v | cut -c1-300)"
	is "terminal_$name" "$got $(cat said)" "$status "
}
# The prompt is one that neither an echoed line nor a program shows, and each line is typed at one: what is typed
# between two states of a terminal may be lost on any. So is a Ctrl-C before the program is in the foreground.
shell=$'< $ \n> PS1=rea""dy:; bind "set enable-bracketed-paste off" 2>/dev/null\\r\n< ready:'
terminal interrupts_with_130 0 "$shell"$'\n> sh -c "echo u""p; exec sleep 600"\\r\n< up\n> \\003\n< ready:\n> echo got $?.\\r\n< got 130.\n< ready:\n> exit 0\\r'
terminal stops_and_goes_on 7 "$shell"$'\n> sh -c "echo u""p; read x; echo got \\\\$x; exit 7"\\r\n< up\n> \\032\n< Stopped\n< ready:\n> fg\\r\n< sh -c\n> word\\r\n< got word\n< ready:\n> exit $?\\r'
terminal runs_jobs_in_the_background 0 "$shell"$'\n> sleep 600 & jobs; kill %1; wait; echo st""ill\\r\n< still\n< ready:\n> exit\\r'
terminal knows_its_size 0 "$shell"$'\n> stty size\\r\n< 24 80\n< ready:\nsize 41 137\n> stty size\\r\n< 41 137\n< ready:\n> echo $COLUMNS-$LINES\\r\n< 137-41\n< ready:\n> exit\\r'
terminal names_itself 0 "$shell"$'\n> test -c $(tty) && test -w $(tty) && echo na""med >$(tty)\\r\n< named\n< ready:\n> echo di""rect >/dev/tty\\r\n< direct\n< ready:\n> exit\\r'
terminal passes_the_shells_status 77 "$shell"$'\n> exit 77\\r'
terminal ends_with_ctrl_d 0 "$shell"$'\n> \\004'
terminal edits_with_vim 0 $'< [New]\n> ihello from vim\n> \\033\n> :wq\\r' 'vim -u NONE -N mark-vim'
is vim_wrote_the_file "$(cat "$work/mark-vim")" 'hello from vim'
seq 1 500 >"$work/mark-lines"
terminal pages_with_less 0 $'< mark-lines\n> G\n< (END)\n> ?^123$\\r\n< 123\n> q' 'less -M mark-lines'
terminal shows_top 0 $'< load average\n< PID\n> q' 'top -d 1'
# It takes keys for pasted text, no commands, where they come quickly one after the other as it sees it.
echo 'set -g assume-paste-time 0' >"$work/mark-tmux"
terminal runs_tmux 0 $'< ready:\n> echo in""side $TMUX_PANE\\r\n< inside %0\n> \\002d\n< detached' 'tmux -f mark-tmux new-session "PS1=ready: sh"'
terminal runs_gdb 0 $'< (gdb)\n> print 6*7\\r\n< = 42\n< (gdb)\n> shell echo sh""ell\\r\n< shell\n< (gdb)\n> quit\\r' 'gdb -q -nx'
terminal debugs_with_gdb 0 $'< (gdb)\n> break main\\r\n< Breakpoint 1 at\n< (gdb)\n> run\\r\n< Breakpoint 1,\n< (gdb)\n> continue\\r\n< exited normally\n< (gdb)\n> quit\\r' 'echo "int main(void) { return 0; }" >/tmp/g.c && cc -g -o /tmp/g /tmp/g.c && DEBUGINFOD_URLS= exec gdb -q -nx /tmp/g'
terminal runs_python 5 $'< >>>\n> print(6*7)\\r\n< 42\n< >>>\n> exit(5)\\r' 'python3 -q'
terminal interrupts_python 6 $'< sleeping\n> \\003' 'exec python3 -c "
import sys, time
try:
    print(\"sleeping\", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(6)"'
terminal reads_a_password 0 $'< Password\n> secret\\r\n< got 6' 'python3 -c "import getpass; print(\"got\", len(getpass.getpass()))"'

# The terminal of the client is as it was, after each kind of end.
restored() { # NAME CMD ENDING
	local steps=$'< before\n'"$4"$'\n< after:\n'
	printf '%s' "$steps" | drive 24 80 bash -c "echo be''fore; one=\$(stty -g); ssh ${options[*]} -t build@127.0.0.1 '$2'; two=\$(stty -g); [ \"\$one\" = \"\$two\" ] && echo aft''er: same || echo aft''er: other; sleep 0.1" >screen 2>said &
	local driver=$!
	[ -z "$3" ] || { wait_for pgrep -u build -f 'sleep 5409' >/dev/null && eval "$3"; }
	wait $driver
	has "restores_the_terminal_$1" "$(tail -n 2 screen | tr -d '\r' | tr '\n' ' ')$(cat said)" '*after: same*'
}
restored at_the_end 'stty raw -echo; exit 3' '' ''
restored when_the_gateway_is_terminated 'stty raw -echo; sleep 5409' 'kill -TERM "$(gateway_pid)"' ''
restored when_the_gateway_is_killed 'stty raw -echo; sleep 5409' 'kill -9 "$(gateway_pid)"' ''
b true </dev/null
leaves_nothing terminals_leave_nothing 'mark-ready|sleep 54'

rm -f "$work"/mark-*
default_profile
cd / && rm -rf /tmp/load
totals load

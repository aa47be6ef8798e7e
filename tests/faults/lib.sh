# SPDX-License-Identifier: ISC
# What the suites on transparency, faults and load share, after tests/system/lib.sh.
# shellcheck shell=bash disable=SC2034,SC2154
base=/var/lib/stockade/tmp/build
# What another suite enrolled may have left: with the hook an open connection rightly has a directory.
sed -i '/pam_stockade/d' /etc/pam.d/sshd

# Drives a program on a terminal of its own: as the client, ROWS by COLUMNS, with the steps on standard input:
#   < TEXT       wait until TEXT was printed (as it stands; Tcl escapes: \r\n ends a line)
#   > TEXT       type TEXT (Tcl escapes: \r is Enter, \003 is Ctrl-C)
#   size R C     change the window
#   close        hang up
#   # TEXT       nothing
# Prints all that the program printed; its exit status, or 99 where a text did not come in 60 s.
cat >/tmp/drive.exp <<'TCL'
log_user 1
set timeout 60
set rows [lindex $argv 0]
set columns [lindex $argv 1]
set stty_init "rows $rows columns $columns"
spawn -noecho {*}[lrange $argv 2 end]
# Lower than what a program may leave in one screen would lose the text that is waited for.
match_max 400000
proc fail {what} {
	puts stderr "drive: $what"
	exec kill -9 [exp_pid]
	exit 99
}
while {[gets stdin line] >= 0} {
	set rest [string range $line 2 end]
	switch -glob -- $line {
		"< *" { expect {
			-ex [subst -nocommands -novariables $rest] { }
			timeout { fail "no '$rest' came" }
			eof { fail "it ended before '$rest' came" }
		} }
		"> *" { send -- [subst -nocommands -novariables $rest] }
		"size *" { exec stty -F $spawn_out(slave,name) rows [lindex $line 1] columns [lindex $line 2] }
		"close" { close; break }
	}
}
if {![info exists line] || $line ne "close"} { expect {
	eof { }
	timeout { fail "it did not end" }
} }
set end [wait]
if {[lindex $end 0] == -1} { exit 98 }
if {[llength $end] > 4 && [lindex $end 4] eq "CHILDKILLED"} { exit 97 }
exit [lindex $end 3]
TCL
chmod 644 /tmp/drive.exp
drive() { # ROWS COLUMNS CMD...
	client env TERM=xterm expect -f /tmp/drive.exp "$@"
}

# --- what may be left of runs; each prints it, one a line
payloads() { pgrep -u build -a -f "${1:-payload-mark}"; }
bwraps() { pgrep -u build -a -x 'bwrap|stocka.*'; }
scopes() { find /sys/fs/cgroup -type d -name 'stockade-*.scope'; }
places() { find $base/runs -mindepth 1 2>/dev/null; }
directories() { find $base -mindepth 1 -maxdepth 1 ! -name runs; }
leftovers() {
	payloads "$@"
	bwraps
	scopes
	places
	directories
}
nothing_left() { [ -z "$(leftovers "$@")" ]; }
leaves_nothing() { # NAME [PATTERN]
	if within=5 wait_for nothing_left "${2:-payload-mark}"; then ok "$1"; else not_ok "$1: left: $(leftovers "${2:-payload-mark}" | tr '\n' ';' | cut -c1-400)"; fi
}

# SPDX-License-Identifier: ISC
# What every system test begins with. Runs as root in a bed; b and p are clients there.
# shellcheck shell=bash disable=SC2034
set -u
passed=0 failed=0 skipped=0
work=/srv/work/build

ok() { passed=$((passed + 1)) && echo "ok - $*"; }
not_ok() { failed=$((failed + 1)) && echo "not ok - $*"; }
skip() { # WHY...: where the machine should be able to, a skip is a failure
	if [ "${STOCKADE_MUST_WORK:-0}" = 1 ]; then not_ok "$* (skipped, and must work here)"; else skipped=$((skipped + 1)) && echo "skip - $*"; fi
}
is() { # NAME GOT WANTED
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: got '${2:0:300}', wanted '${3:0:300}'"; fi
}
has() { # NAME TEXT PATTERN (a case pattern)
	# shellcheck disable=SC2254
	case $2 in $3) ok "$1" ;; *) not_ok "$1: '${2:0:500}' has no '$3'" ;; esac
}
succeeds() { # NAME CMD...
	local name=$1 out
	shift
	if out=$("$@" 2>&1 </dev/null); then ok "$name"; else not_ok "$name: status $?: ${out:0:300}"; fi
}
fails() { # NAME CMD...
	local name=$1 out
	shift
	if out=$("$@" 2>&1 </dev/null); then not_ok "$name: succeeded: ${out:0:300}"; else ok "$name"; fi
}
options=(-o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR)
# Not by runuser(1), whose PAM session costs as much as ssh itself.
as_client=(setpriv --reuid=client --regid=client --init-groups --)
client() { HOME=/home/client USER=client LOGNAME=client "${as_client[@]}" "$@"; }
b() { client ssh "${options[@]}" build@127.0.0.1 "$@"; }
p() { client ssh "${options[@]}" plain@127.0.0.1 "$@"; }
status() { # CMD...: its exit status on standard output
	"$@" >/dev/null 2>&1 </dev/null
	echo $?
}
reload_sshd() { systemctl reload ssh && sleep 0.5 && wait_for p true </dev/null; }
# The log's records since `mark`, oldest first, by count: journalctl's own cursors skip a record of another file.
all_records() { journalctl --sync && journalctl -q -t stockade -o cat; }
mark() { marked=$(all_records | wc -l); }
records() { all_records | tail -n +$((marked + 1)) | grep "^${1:-}"; }
profile() { cat >/etc/stockade/profiles/build.ini; }
main_settings() { cat /root/stockade.ini - >/etc/stockade/stockade.ini; } # what the host's own file says beside what is installed
default_main() { cp /root/stockade.ini /etc/stockade/stockade.ini; }
default_profile() { # what the bed can give: see tests/system/setup
	cp /etc/stockade/build.default /etc/stockade/profiles/build.ini
}
# Until CMD succeeds; seconds go by for nothing only where it never will. What has to vanish is waited for $within seconds: ten
# after an account's last logout its user manager goes, and takes along what a fault left.
wait_for() { # CMD...
	local until=$((SECONDS + ${within:-60}))
	until "$@"; do
		[ "$SECONDS" -lt "$until" ] || return 1
		sleep 0.1
	done
}
remove_account() { # USER: it stays as long as its user manager, ten seconds after its last logout
	wait_for eval "userdel -r $1 2>/dev/null || ! id $1 >/dev/null 2>&1"
}
totals() {
	cmp -s /root/stockade.ini /etc/stockade/stockade.ini || not_ok "$1 leaves stockade.ini as it was"
	succeeds "$1 leaves the clients' way to plain sshd" p true
	echo "$1: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}

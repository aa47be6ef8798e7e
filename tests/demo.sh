#!/bin/sh
# SPDX-License-Identifier: ISC
# The main job on this machine, as root, start to end: installs what it needs, builds, makes a
# throw-away account and a private sshd on loopback, runs make through it, and removes it all again
# (but for the Debian packages). usage: sh tests/demo.sh
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
user=stockade-demo
base='' space='' sshd_pid='' syslog_pid='' made_user='' made_run='' made_log=''

say() { printf '\n== %s\n' "$*"; }

packages() {
	wanted='gcc make libc6-dev libpam0g-dev libiniparser-dev libseccomp-dev libjson-c-dev libmd-dev bubblewrap util-linux
		openssh-server openssh-client'
	[ -S /dev/log ] || wanted="$wanted rsyslog"
	# shellcheck disable=SC2086
	dpkg-query -W -f '${Status}\n' $wanted 2>/dev/null | grep -vc '^install ok' >/dev/null || \
		[ "$(dpkg-query -W $wanted 2>/dev/null | wc -l)" -lt "$(echo $wanted | wc -w)" ] || return 0
	say "installing packages"
	# An sshd that this installs is not to listen: a policy says so while dpkg runs.
	if [ ! -e /usr/sbin/policy-rc.d ]; then
		printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
		chmod 755 /usr/sbin/policy-rc.d
		trap 'rm -f /usr/sbin/policy-rc.d; cleanup' EXIT
	fi
	apt-get update -qq
	# shellcheck disable=SC2086
	DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $wanted >/dev/null
}

stop() { # PID
	[ -z "$1" ] || kill "$1" 2>/dev/null || return 0
	[ -z "$1" ] || wait "$1" 2>/dev/null || :
}

cleanup() {
	trap - EXIT INT TERM
	stop "$sshd_pid"
	if [ -n "$made_user" ]; then
		if [ -d /run/systemd/system ]; then loginctl terminate-user "$user" 2>/dev/null || :; fi
		tries=0
		until userdel "$user" 2>/dev/null || [ "$tries" -ge 20 ]; do
			tries=$((tries + 1))
			sleep 0.5
		done
	fi
	stop "$syslog_pid"
	[ -z "$base" ] || rm -rf "$base"
	[ -z "$space" ] || rm -rf "$space"
	[ -z "$made_run" ] || rmdir /run/sshd 2>/dev/null || :
	[ -z "$made_log" ] || rm -f /dev/log
}

build() {
	say "building"
	base=$(mktemp -d /opt/stockade-demo.XXXXXX)
	space=$(mktemp -d /srv/stockade-demo.XXXXXX)
	chmod 755 "$base" "$space"
	make -s -C "$top" all install BUILD="$base/build" PREFIX="$base/usr" SYSCONFDIR="$base/etc" STATEDIR="$base/var" \
		PAMDIR="$base/usr/security" TMPFILESDIR="$base/usr/tmpfiles"
}

account() {
	say "a throw-away account, $user, with a profile"
	useradd --no-create-home --home-dir "$space/home" --shell /bin/sh --password '*' "$user"
	made_user=yes
	install -d -o "$user" -m 755 "$space/work"
	install -d -o "$user" -m 700 "$space/home"
	install -d -m 755 "$base/tmp"
	install -d -o "$user" -m 700 "$base/tmp/$user"
	cat >"$base/etc/stockade/profiles/$user.ini" <<-INI
		[profile]
		min_grade = partial
		[workspace]
		path = $space/work
		[cgroup]
		enforce = best-effort
		[tmp]
		dir = $base/tmp
		floor = 1%
	INI
	cat "$base/etc/stockade/profiles/$user.ini"
}

syslog() {
	[ -S /dev/log ] && { log='' && return; }
	say "no syslog here: starting rsyslogd"
	log=$base/log
	printf 'module(load="imuxsock" SysSock.Name="/dev/log")\n*.* action(type="omfile" file="%s" asyncWriting="off")\n' "$log" >"$base/rsyslog.conf"
	made_log=yes
	rsyslogd -n -f "$base/rsyslog.conf" -i "$base/rsyslog.pid" &
	syslog_pid=$!
	tries=0
	until [ -S /dev/log ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || { echo "rsyslogd does not listen" >&2 && exit 1; }
		sleep 0.1
	done
}

sshd() {
	say "a private sshd on loopback"
	[ -d /run/sshd ] || { mkdir -m 755 /run/sshd && made_run=yes; }
	ssh-keygen -q -t ed25519 -N '' -f "$base/hostkey"
	ssh-keygen -q -t ed25519 -N '' -f "$base/key"
	install -m 644 "$base/key.pub" "$base/authorized"
	port=$((20000 + $$ % 20000))
	cat >"$base/sshd_config" <<-CONFIG
		ListenAddress 127.0.0.1
		Port $port
		HostKey $base/hostkey
		PidFile none
		UsePAM yes
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		AuthorizedKeysFile $base/authorized
		AllowUsers $user
		ForceCommand exec $base/usr/bin/stockade-gateway
		DisableForwarding yes
		PermitUserRC no
	CONFIG
	sed -n '/ForceCommand/,$p' "$base/sshd_config"
	/usr/sbin/sshd -D -e -f "$base/sshd_config" 2>"$base/sshd.log" &
	sshd_pid=$!
	tries=0
	until client true 2>"$base/client.log"; do
		tries=$((tries + 1))
		[ "$tries" -lt 50 ] || { cat "$base/sshd.log" "$base/client.log" >&2 && exit 1; }
		sleep 0.2
	done
}

client() {
	ssh -F none -i "$base/key" -p "$port" -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
		-o LogLevel=ERROR "$user@127.0.0.1" "$@"
}

show_log() {
	if [ -n "$log" ]; then
		grep -a 'stockade\[' "$log"
	elif command -v journalctl >/dev/null && [ -d /run/systemd/system ]; then
		journalctl -q -t stockade -n 6 -o cat
	else
		grep -a 'stockade\[' /var/log/auth.log | tail -n 6
	fi
}

main_job() {
	say "a small C project in the workspace"
	printf 'int answer(void);\nint main(void) { return answer() - 42; }\n' >"$space/work/main.c"
	printf 'int answer(void) { return 42; }\n' >"$space/work/answer.c"
	printf 'demo: main.o answer.o\n\t$(CC) -o $@ $^\n' >"$space/work/Makefile"
	chown "$user" "$space/work"/*
	say "ssh $user@127.0.0.1 make"
	client 'make && ./demo && echo the program runs'
	ls -l "$space/work"
	[ "$(stat -c %U "$space/work/demo")" = "$user" ] || { echo "the program is not the account's" >&2 && exit 1; }
	say "a write outside the workspace"
	if client 'touch /etc/owned' || client "echo x >$space/home/owned"; then
		echo "that must not succeed" >&2
		exit 1
	fi
	say "the log"
	show_log
}

[ "$(id -u)" -eq 0 ] || { echo "run this as root" >&2 && exit 1; }
trap cleanup EXIT
trap 'exit 1' INT TERM
packages
build
account
syslog
sshd
main_job
cleanup
say "done, and all of it removed"

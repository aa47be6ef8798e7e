# SPDX-License-Identifier: ISC
# kill -9 of each part of a run at 50 moments of its life: nothing is left once the next session has swept, the records
# agree, and the command ran at most once. Runs as root in a bed, after setup.sh; tests/faults/lib.sh stands before it.
# shellcheck shell=bash disable=SC2154
default_profile
cd /tmp || exit 1
ran=$work/ran
install -o build -g build /dev/null "$ran"
find "$base" -mindepth 1 -maxdepth 1 ! -name runs -exec rm -rf {} +

# Kills TARGET, MS after a gateway of the account appeared, or as soon as it is there. Says whom, or what it missed.
cat >/tmp/strike.pl <<'PERL'
use strict;
use warnings;
use Time::HiRes qw(sleep time);
my ($target, $ms, $uid) = @ARGV;
sub stat_of { my ($pid) = @_; open my $f, '<', "/proc/$pid/stat" or return; local $/; (<$f> // '') =~ /\((.*)\) \S (\d+)/s ? ($1, $2) : () }
sub pids { opendir my $d, '/proc' or die; grep { /^\d+$/ && ((stat "/proc/$_")[4] // -1) == $uid } readdir $d }
sub exe { my $path = readlink "/proc/$_[0]/exe" // ''; $path =~ s{.*/}{}; $path =~ s{ \(deleted\)}{}; $path }
my %is = (
	gateway => sub { $_[0] eq 'stockade-gatewa' && $_[1] eq 'stockade-gateway' && $_[3] ne 'stockade-gateway' },
	chain => sub { $_[1] =~ /^(stockade-gateway|systemd-run|env|bwrap)$/ && $_[3] eq 'stockade-gateway' },
	'systemd-run' => sub { $_[1] eq 'systemd-run' },
	monitor => sub { $_[1] eq 'bwrap' && $_[3] eq 'stockade-gateway' },
	init => sub { $_[1] eq 'bwrap' && $_[3] eq 'bwrap' },
	manager => sub { $_[1] eq 'systemd' },
);
# The command is held: bwrap's child waits for its release. The gateway is stopped meanwhile, so that it stays so.
sub is_held { my ($pid) = @_; open my $f, '<', "/proc/$pid/wchan" or return; (<$f> // '') =~ /pipe_read/ }
sub strike_held {
	my ($gateway, $until) = @_;
	my $init;
	until ($init = find_one('init')) { kill 0, $gateway or exit print "missed init\n" }
	kill 'STOP', $gateway;
	until (is_held($init)) { time < $until or kill('CONT', $gateway) && exit print "missed the hold\n" }
	kill 'KILL', $gateway;
	exit print "killed gateway $gateway\n";
}
# The command was released, and bwrap's child stopped before it could do anything about it: no pipe is the gateway's and
# its any more but those of the client.
sub pipes { my %have; for my $fd (glob "/proc/$_[0]/fd/*") { $fd =~ m{/fd/[012]$} or $have{readlink($fd) // ''} = 1 } grep { /^pipe/ } keys %have }
sub strike_released {
	my ($gateway, $until) = @_;
	my $init;
	until ($init = find_one('init')) { kill 0, $gateway or exit print "missed init\n" }
	until (is_held($init)) { time < $until or exit print "missed the hold\n" }
	while (time < $until) {
		kill 'STOP', $init;
		sleep 0.03;
		my %ours = map { $_ => 1 } pipes($gateway);
		my $is_released = !grep { $ours{$_} } pipes($init);
		kill 'KILL', $gateway if $is_released;
		kill 'CONT', $init;
		exit print "killed gateway $gateway\n" if $is_released;
		sleep rand 0.004;
	}
	print "missed the release\n";
	exit;
}
sub find_one {
	for my $pid (pids()) {
		my ($comm, $parent) = stat_of($pid) or next;
		return $pid if $is{$_[0]}->($comm, exe($pid), $parent, exe($parent));
	}
	return;
}
my $until = time + 15;
my $gateway;
until ($gateway = find_one('gateway')) { time < $until or exit print "missed the gateway\n" }
my $from = time;
my $left = $ms / 1000 - (time - $from);
sleep $left if $left > 0;
strike_held($gateway, time + 1) if $target eq 'held';
strike_released($gateway, time + 5) if $target eq 'released';
my $pid;
until ($pid = find_one($target)) { kill 0, $gateway or exit print "missed $target\n" }
kill 'KILL', $pid;
printf "killed %s %d\n", $target, $pid;
PERL
chmod 644 /tmp/strike.pl

# Each start has one end or refuse, and no end or refuse comes twice; an end may stand alone only as lost.
balance() {
	awk '
		{ match($0, /session=[^ ]*/); id = substr($0, RSTART, RLENGTH) }
		$1 == "start" { start[id]++ }
		$1 == "end" { end[id]++; if (!(id in start) && !/by=lost/) print "an end without a start: " id }
		$1 == "refuse" { end[id]++ }
		END {
			for (id in start) if (start[id] != 1 || end[id] != 1) print id ": " start[id] + 0 " starts, " end[id] + 0 " ends"
			for (id in end) if (end[id] > 1 && !(id in start)) print id ": " end[id] " ends"
		}' seen
}

manager() { runuser -u build -- env XDG_RUNTIME_DIR="/run/user/$(id -u build)" systemctl --user "$@"; }
# So that what one moment left is not counted again at the next.
clear_up() {
	local unit
	for unit in $(scopes | grep -o 'stockade-[^/]*$'); do
		echo "# $unit: $(manager show "$unit" -p ActiveState,SubState,Job,Result | tr '\n' ' '), processes: $(manager show "$unit" -p TasksCurrent --value), in the log: $(all_records | grep -c "${unit:9:8}")"
		manager stop "$unit"
	done
}
# A systemd-run that is killed by others while its scope is set up can leave it to the user manager active and empty: systemd's
# own, also without the gateway, until the manager ends.
is_forgotten_by_systemd() { # TARGET PATTERN
	case $1 in chain | systemd-run) ;; *) return 1 ;; esac
	[ "$(leftovers "$2")" = "$(scopes)" ] && ! scopes | sed 's|$|/cgroup.events|' | xargs -r grep -lx 'populated 1'
}
next_session() { b -S /tmp/next.master -o ControlMaster=auto -o ControlPersist=60 true </dev/null; }
one_fault() { # TARGET MS
	local name="$1_$2_ms" tag="payload-mark-$1-$2" struck client said got hung
	mark
	perl /tmp/strike.pl "$1" "$2" "$(id -u build)" >struck &
	struck=$!
	b "echo $tag >>ran; (sleep 3000; echo $tag) & for i in 1 2 3; do sleep 0.1; done; setsid sleep 3100 & : $tag; exit 0" >client.out 2>&1 </dev/null &
	client=$!
	wait $struck
	hung=
	within=8 wait_for eval "! kill -0 $client 2>/dev/null" || hung="the client hangs, left: $(leftovers "$tag" | tr '\n' ';' | cut -c1-300)"
	[ -z "$hung" ] || kill $client 2>/dev/null
	wait $client
	got=$?
	said=$(cat struck)
	case $said in
	killed*) ;;
	*) # Over before its moment, as the last ones may be on a fast machine.
		[ "$got" -eq 0 ] || { not_ok "$name: $said, and status $got: $(cat client.out)" && return; } ;;
	esac
	within=15 wait_for next_session >next.out 2>&1 || { not_ok "$name: no next session: $(cat next.out)" && return; }
	if ! within=5 wait_for nothing_left "$tag" && is_forgotten_by_systemd "$1" "$tag"; then clear_up; fi
	if ! within=5 wait_for nothing_left "$tag"; then
		not_ok "$name ($said): left: $(leftovers "$tag" | tr '\n' ';' | cut -c1-300)"
		clear_up
		return
	fi
	case $(grep -cx "$tag" "$ran") in 0 | 1) ;; *) not_ok "$name ($said): the command ran $(grep -cx "$tag" "$ran") times" && return ;; esac
	records >seen
	if grep -qx "$tag" "$ran" && ! grep '^start' seen | grep -q "$tag"; then
		not_ok "$name ($said): the command ran without a start" && return
	fi
	[ -z "$hung" ] || { not_ok "$name ($said): $hung" && return; }
	is "$name" "$(balance)" ''
	moments="$moments $1:$2=$got/$(grep -v 'cmd=true\|by=payload exit=0' seen | grep -o 'start\|by=[a-z]*\|reason=[a-z]*' | tr '\n' '+')"
}
moments=''
for ms in 0 10 20 30 40 50 60 80 110 200 350; do one_fault gateway $ms; done
for ms in 0 10 20 30 45 60 80 110 200 350; do one_fault chain $ms; done
for ms in 0 60 110 200; do one_fault monitor $ms; done
for ms in 0 20 40 60 80 110 150 200 280 350; do one_fault init $ms; done
for ms in 0 1 2 4 6 8 10 12; do one_fault systemd-run $ms; done
for ms in 0 10 25 45 70 100 200 350; do one_fault manager $ms; done
for try in 1 2 3; do one_fault held $try; done
for try in 1 2 3 4 5 6; do one_fault released $try; done
client ssh -S /tmp/next.master -O exit build@127.0.0.1 2>/dev/null
echo "# TARGET:MS=STATUS/RECORDS:$moments"

# --- what a killed gateway can leave, made by hand
b true </dev/null
mark
as_build() { runuser -u build -- "$@"; }
as_build sh -c ": >$base/runs/aaaaaaa2. && mkdir $base/aaaaaaa2 && mkdir -p $base/aaaaaaa2/tmp/x && touch $base/aaaaaaa2/tmp/x/f && chmod 0 $base/aaaaaaa2/tmp/x"
as_build sh -c ": >$base/runs/aaaaaaa3."
as_build sh -c ": >$base/runs/aaaaaaa4. && mkdir $base/aaaaaaa4"
is runs_beside_what_was_left "$(status b true)" 0
leaves_nothing sweeps_a_directory_that_was_never_locked
is logs_no_end_of_what_never_started "$(records end | grep -c 'by=lost')" 0
mark
as_build bash -c "cd $base && for i in {100..399}; do id=bbbbb\$i; mkdir -p \$id/tmp/deep \$id/home \$id/var-tmp && echo x >\$id/tmp/deep/f && printf 'session=%s user=build actor=- grade=partial lacks=limits\nconn=\npid=0 start=0\nscope=-\n' \$id >runs/\$id.; done"
is runs_beside_300_that_were_lost "$(status b true)" 0
leaves_nothing sweeps_300_that_were_lost
is logs_the_end_of_each_that_was_lost "$(records end | grep 'by=lost' | sort -u | wc -l)/$(records end | grep -c 'by=lost')" 300/300
as_build bash -c "cd $base && for i in {100..139}; do mkdir -p ddddd\$i/tmp && : >runs/ddddd\$i.; done"
for i in 1 2 3 4 5 6 7 8; do status b true >many.$i & done
wait
is many_sessions_sweep_at_once "$(cat many.? | tr -d '\n')" 00000000
leaves_nothing many_sessions_sweep_it_all

# --- neither links nor other trees are followed
as_build sh -c "mkdir $work/kept && echo x >$work/kept/f && mkdir -p $base/eeeeeee2/tmp && ln -s $work/kept $base/eeeeeee2/tmp/link && : >$base/runs/eeeeeee2. && ln -s $work/kept $base/eeeeeee3 && : >$base/runs/eeeeeee3."
b true </dev/null
leaves_nothing sweeps_links
is follows_no_link_in_a_sweep "$(cat "$work/kept/f")" x

rm -rf "$work/kept" "$ran" /tmp/strike.pl struck seen client.out next.out many.?
totals faults

# SPDX-License-Identifier: ISC
# What only a machine with cgroup v2 controllers has. Runs as root in a bed of that kind, after setup.sh.
# shellcheck shell=bash
succeeds machine_has_the_controllers grep -qw memory /sys/fs/cgroup/cgroup.controllers
printf '[workspace]\npath = %s\n[cgroup]\nmemory_max = 100M\ntasks_max = 50\ncpus = 1.5\n' $work | profile
mark
is shows_the_profiles_limits_inside "$(b 'cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/pids.max /sys/fs/cgroup/cpu.max' | tr '\n' ' ')" \
	'104857600 50 150000 100000 '
has is_graded_full "$(records start)" '*grade=full lacks=- *'
mark
out=$(b 'tail /dev/zero >/dev/null; echo went on $?' 2>&1)
has kills_the_hog_alone "$out" '*went on 137*'
has tells_the_user_that_memory_ran_out "$out" '*stockade: memory ran out*100 MiB*'
has counts_the_kill "$(records end)" '*oom=1*'

# --- a gateway that gets no time while the command ends, and its scope with it
mark
b 'touch up; until [ -e begin ]; do sleep 0.1; done; tail /dev/zero >/dev/null; touch oomed; until [ -e go ]; do sleep 0.1; done' >/dev/null 2>&1 </dev/null &
late=$!
# Right behind one of the looks that it takes every five seconds anyway.
wait_for test -e $work/up && sleep 5.2 && touch $work/begin
wait_for test -e $work/oomed && sleep 0.5
pkill -STOP -u build -x stockade-gatewa
touch $work/go
succeeds the_scope_goes_before_the_gateway_looks wait_for eval '! find /sys/fs/cgroup -name "stockade-*.scope" | grep -q .'
pkill -CONT -u build -x stockade-gatewa
wait $late
has counts_the_kill_of_a_scope_that_is_gone "$(records end)" '*oom=1*'
rm $work/{up,begin,oomed,go}

mark
has refuses_forks_over_the_limit "$(b 'for i in $(seq 1 80); do sleep 2 & done; wait' 2>&1)" '*fork*'
has counts_the_forks "$(records end)" '*pids_max=[1-9]*'

# --- eight busy loops on one cpu, and what nproc sees
printf '[workspace]\npath = %s\n[cgroup]\ncpus = 1\n' $work | profile
mark
# From within, between two looks at one clock: what the chain used before the command is not the loops'.
cat >$work/loops.sh <<'LOOPS'
look() { echo $(($(sed -n 's/^usage_usec //p' /sys/fs/cgroup/cpu.stat) / 1000)) $(($(date +%s%N) / 1000000)); }
nproc
set -- $(look)
for i in 1 2 3 4 5 6 7 8; do timeout 6 yes >/dev/null & done
wait
set -- "$@" $(look)
echo $(($3 - $1)) $(($4 - $2))
LOOPS
read -r -d '' cpus used passed_ms < <(b sh loops.sh)
is shows_one_cpu "$cpus" 1
if [ "$used" -gt 1000 ] && [ "$used" -le $((passed_ms + 1000)) ]; then
	ok holds_the_loops_to_one_cpu
else
	not_ok "holds_the_loops_to_one_cpu: $used ms in $passed_ms ms"
fi
rm $work/loops.sh

# --- a fork bomb is held, and a second login works meanwhile
printf '[workspace]\npath = %s\n[cgroup]\ntasks_max = 60\n[time]\ntimeout = 300s\ngrace = 1s\n' $work | profile
mark
b 'bomb() { bomb | bomb & }; bomb; sleep 5000' >/dev/null 2>&1 </dev/null &
bomb=$!
wait_for eval 'stockade who | grep -q bomb'
succeeds a_second_login_works_beside_a_fork_bomb b true
stockade kill "$(records start | sed -n 's/.* session=\([^ ]*\).*bomb.*/\1/p')" >/dev/null
wait $bomb
has the_bomb_is_ended_by_the_admin "$(records end)" '*by=admin *'
succeeds the_bomb_is_gone wait_for eval '[ "$(pgrep -u build -c bash)" = 0 ]'

# --- totals of the account, by root's drop-in
printf '[workspace]\npath = %s\n[account]\nmemory_max = 300M\n' $work | profile
mark
is account_total_without_a_drop_in:_status "$(status b true)" 126
has account_total_without_a_drop_in:_record "$(records refuse)" '*reason=grade *[account]*'
mkdir -p /etc/systemd/system/user-1000.slice.d
printf '[Slice]\nMemoryMax=300M\n' >/etc/systemd/system/user-1000.slice.d/50-stockade.conf
systemctl daemon-reload
succeeds account_total_with_a_drop_in b true
mark
has account_total:_memory_ran_out_above_the_command "$(b 'tail /dev/zero >/dev/null; echo went on $?' 2>&1)" \
	'*went on 137*stockade: memory ran out for the whole account or host: *below their own limit*'
has account_total:_counts_the_kill "$(records end)" '*oom=1*'
rm -r /etc/systemd/system/user-1000.slice.d && systemctl daemon-reload
default_profile

# --- uninterruptible sleep: KILL does not end who writes to a frozen file system; his connection ends all the same
truncate -s 50M /root/frozen.img
mkfs.ext4 -q /root/frozen.img
mkdir -p /srv/frozen
mount -o loop /root/frozen.img /srv/frozen
install -d -o build -g build /srv/frozen/tree
printf '[workspace]\npath = /srv/frozen/tree\n[time]\ngrace = 1s\n' | profile
mark
b 'touch up; while :; do echo x >>frozen-file; done' >/dev/null 2>&1 </dev/null &
client=$!
wait_for test -e /srv/frozen/tree/up
fsfreeze -f /srv/frozen
succeeds frozen:_the_command_sleeps_uninterruptibly wait_for eval 'ps -u build -o stat=,args= | grep -q "^D.*frozen-file"'
kill -9 "$(pgrep -u client -n -x ssh)"
wait $client
succeeds frozen:_the_connection_ends wait_for eval 'records end | grep -q .'
has frozen:_record "$(records end)" '*by=disconnect *'
within=30 succeeds frozen:_the_gateway_is_gone wait_for eval '! pgrep -u build -x stockade-gatewa >/dev/null'
default_profile
is frozen:_the_next_command_runs "$(status b true)" 0
fsfreeze -u /srv/frozen
within=30 succeeds frozen:_nothing_is_left_once_it_thaws wait_for eval '! pgrep -u build -f frozen-file >/dev/null && [ -z "$(find /sys/fs/cgroup -type d -name "stockade-*.scope")" ]'
umount /srv/frozen

# --- no namespace left is "now", and never a lower grade
was=$(sysctl -n user.max_user_namespaces)
sysctl -qw user.max_user_namespaces=0
printf '[profile]\nmin_grade = partial\n[workspace]\npath = %s\n' $work | profile
mark
out=$(b true 2>&1)
is quota:_refused $? 126
has quota:_says_now "$out" '*now*'
has quota:_record "$(records refuse)" '*reason=busy *'
is quota:_runs_nothing_at_a_lower_grade "$(records start | wc -l)" 0
sysctl -qw user.max_user_namespaces="$was"

# --- a user manager that is slow, hangs, or dies; the hook starts one anew
default_profile
printf 'account required pam_stockade.so\nsession required pam_stockade.so\n' >>/etc/pam.d/sshd
manager() { systemctl show -P MainPID user@1000.service; }
left() { ps -u build -o comm= | grep -E 'bwrap|stockade|systemd-run' | tr '\n' ' '; }
client ssh "${options[@]}" -M -S /tmp/limits-master -o ControlPersist=600 -n -N -f build@127.0.0.1
b -S /tmp/limits-master true </dev/null
pid=$(manager)
kill -STOP "$pid"
(sleep 4 && kill -CONT "$pid") &
is slow_manager:_is_waited_for "$(status b -S /tmp/limits-master true)" 0
kill -STOP "$pid"
mark
began=$SECONDS
is hanging_manager:_refused "$(status b -S /tmp/limits-master touch ran)" 125
is hanging_manager:_in_bounded_time "$((SECONDS - began <= 120))" 1
has hanging_manager:_record "$(records refuse)" '*reason=fence stage=setup *'
kill -CONT "$pid"
fails hanging_manager:_nothing_was_run test -e $work/ran
is hanging_manager:_nothing_is_left "$(left)" ''
is hanging_manager:_works_again "$(status b -S /tmp/limits-master true)" 0
mark
b -S /tmp/limits-master 'touch up; sleep 7402' </dev/null >/dev/null 2>&1 &
client=$!
wait_for test -e $work/up
kill -9 "$(manager)"
wait_for eval '! kill -0 $client 2>/dev/null' || not_ok 'killed_manager: the client hangs'
wait $client
within=30 wait_for eval 'records end | grep -q .'
has killed_manager:_the_run_has_an_end "$(records end)" 'end *'
is killed_manager:_nothing_is_left "$(left)" ''
client ssh -S /tmp/limits-master -O exit build@127.0.0.1 2>/dev/null
mark
is killed_manager:_the_next_connection_works "$(status b true)" 0
has killed_manager:_with_limits "$(records start)" '*grade=full lacks=- *'
rm -f $work/up

# --- [tmp] size on a disk with project quotas: of a connection, over all of its private directories
truncate -s 200M /root/quota.img
mkfs.ext4 -q -O project,quota /root/quota.img
mkdir -p /srv/quota
mount -o loop,prjquota /root/quota.img /srv/quota
install -d -m 755 /srv/quota/tmp
printf '[workspace]\npath = %s\n[tmp]\ndir = /srv/quota/tmp\nsize = 20M\nfloor = -\n' $work | profile
for name in one two; do client ssh "${options[@]}" -M -S /tmp/quota-$name -o ControlPersist=600 -n -N -f build@127.0.0.1; done
m() { b -S "/tmp/quota-$1" "${@:2}" </dev/null 2>&1; }
has quota:_ends_at_its_size "$(m one 'head -c 15M /dev/zero >/tmp/a; head -c 15M /dev/zero >~/b; ls -l /tmp/a ~/b | wc -l')" '*[Qq]uota*'
is quota:_holds_what_fits "$(m one 'blocks=$(($(stat -c %b /tmp/a) + $(stat -c %b ~/b))); [ $blocks -gt 38912 ] && [ $blocks -le 40960 ] && echo fits || echo $blocks')" fits
is quota:_is_shown_by_df "$(m one 'df -m --output=size /tmp | tail -n 1' | tr -d ' ')" 20
is quota:_is_not_the_others "$(m two 'head -c 15M /dev/zero >/tmp/a && stat -c %s /tmp/a')" 15728640
has quota:_cannot_be_left "$(m one 'touch /tmp/x; chattr -p 0 /tmp/x; rm /tmp/a; touch /var/tmp/y; chattr -p 7 /var/tmp/y; lsattr -p /var/tmp | cut -c1-12; echo over')" '*Invalid argument*over*'
for name in one two; do client ssh -S /tmp/quota-$name -O exit build@127.0.0.1 2>/dev/null; done
succeeds quota:_nothing_is_left wait_for eval '[ -z "$(find /srv/quota/tmp/build -mindepth 1 ! -name runs)" ]'
umount /srv/quota
mount -o loop /root/quota.img /srv/quota
mark
is quota:_without_prjquota_refused "$(status b true)" 125
has quota:_without_prjquota_the_hook_says_why "$(records 'refuse .*kind=hook')" '*mount it with prjquota*'
umount /srv/quota
default_profile
sed -i '/pam_stockade/d' /etc/pam.d/sshd

# --- a private network: the helper has a scope of its own, limited too, and goes with the run
printf '[workspace]\npath = %s\n[network]\nmode = slirp\n' $work | profile
mark
b 'touch up; exec sleep 7401' </dev/null &
client=$!
wait_for test -e $work/up
has network:_full_grade "$(records start)" '*grade=full lacks=- net=slirp *'
scope=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$(pgrep -u build -x slirp4netns | head -n 1)/cgroup")
has network:_the_helpers_own_scope "$scope" '*/app.slice/stockade-*-net.scope'
is network:_the_helper_is_limited "$(cat "$scope/memory.max" "$scope/pids.max" | tr '\n' ' ')" '134217728 16 '
kill -9 "$(pgrep -u client -n -x ssh)"
wait $client
within=30 wait_for eval '[ ! -e "$scope" ]'
fails network:_no_scope_is_left test -e "$scope"
has network:_the_end "$(within=30 wait_for eval 'records end | grep -q .'; records end)" '*by=disconnect *net_refused=0*'
rm -f $work/up

# --- probe
default_profile
stockade probe >/tmp/probe
is probe_says_full $? 0
has probe_ran_for_real "$(cat /tmp/probe)" '*ok*real-run*grade=full*'
default_profile
succeeds works_afterwards b true
totals limits

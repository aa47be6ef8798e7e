# SPDX-License-Identifier: ISC
# The PAM module: one private directory a connection, identity, and nobody locked out. Runs as root in a bed, after setup.sh.
# shellcheck shell=bash
base=/var/lib/stockade/tmp/build
default_profile
grep -q pam_stockade /etc/pam.d/sshd || printf 'account required pam_stockade.so\nsession required pam_stockade.so\n' >>/etc/pam.d/sshd
with() { { cat /etc/stockade/build.default && printf '%s\n' "$@"; } | profile; }
master() { # NAME: opens a connection to the confined account
	client ssh "${options[@]}" -M -S "/tmp/cm-$1" -N -f build@127.0.0.1 </dev/null >/dev/null 2>&1
}
m() { # NAME CMD...
	local name=$1
	shift
	client ssh "${options[@]}" -S "/tmp/cm-$name" build@127.0.0.1 "$@"
}
close_master() { client ssh -S "/tmp/cm-$1" -O exit build@127.0.0.1 >/dev/null 2>&1; }
nothing_left() { [ -z "$(ls $base/ $base/runs /run/stockade/1000 2>/dev/null | grep -vE '^(runs|/.*:)?$')" ]; }

# --- one /tmp for all commands of a connection
master one && master two
m one 'echo 0 >/tmp/count; echo home >~/h; echo v >/var/tmp/v'
for _ in $(seq 20); do m one 'echo $(($(cat /tmp/count) + 1)) >/tmp/count'; done
is twenty_commands_share_one_tmp "$(m one 'cat /tmp/count ~/h /var/tmp/v' | tr '\n' ' ')" '20 home v '
is two_connections_share_nothing "$(m two 'find /tmp /var/tmp ~ /dev/shm -mindepth 1 | wc -l')" 0
mark
m one true
has names_the_connection "$(records start)" '* conn=* *'
is hides_the_other_session_in_the_host_view "$(with '[view]' 'root = host'; m two 'find / -name count -o -name h 2>/dev/null | grep -v ^/usr' | head -n 1)" ''
default_profile
close_master one && close_master two
within=20 succeeds leaves_nothing_after_the_connection wait_for nothing_left
is command_mode_has_a_fresh_tmp "$(with '[tmp]' 'mode = command'; master one; m one 'touch /tmp/x'; m one 'ls /tmp'; close_master one)" ''

# --- [tmp] size on memory: a tmpfs for the connection
with '[tmp]' 'backing = memory' 'size = 20M'
master one
m one 'echo kept >/tmp/kept'
is memory_tmp_lasts_for_the_connection "$(m one 'cat /tmp/kept')" kept
is memory_tmp_has_its_size "$(m one 'df -B1M --output=size /tmp | tail -n 1' | tr -d ' ')" 20
has memory_tmp_is_full_at_its_size "$(m one 'LC_ALL=C head -c 30M /dev/zero >/tmp/big' 2>&1)" '*No space left*'
close_master one
within=20 succeeds memory_tmp_is_unmounted wait_for eval '! grep -q $base /proc/mounts'
default_profile

# --- what is hard to remove is removed
master one
m one 'cd /tmp && mkdir -p a/b/c && chmod 000 a/b && ln -s / root && ln -s /etc etc && mkfifo f && d=deep && for i in $(seq 300); do mkdir $d; cd $d; done'
close_master one
within=20 succeeds removes_odd_trees wait_for nothing_left
succeeds follows_no_link_on_removal test -e /etc/passwd

# --- what becomes of the profile or the directory while the connection lasts
in_memory() { with '[tmp]' 'backing = memory' 'size = 20M'; }
while_open() { # NAME CMD...: done between open and close
	local name=$1
	shift
	in_memory && master one && m one 'echo kept >/tmp/kept'
	"$@"
	close_master one
	within=20 succeeds "closes_although_$name" wait_for eval "nothing_left && ! grep -q $base /proc/mounts"
	default_profile
}
while_open the_profile_is_broken with '[nonsense]' 'x = y'
while_open the_profile_is_gone rm /etc/stockade/profiles/build.ini
while_open the_profile_names_another_place with '[tmp]' 'dir = /var/lib'
replaced_by() { # KIND
	master one && m one true
	# shellcheck disable=SC2012
	directory=$base/$(ls $base | grep -v '^runs$' | head -n 1)
	rm -rf "$directory"
	case $1 in
	link) ln -s /etc "$directory" ;;
	file) touch "$directory" ;;
	foreign) install -d -o plain -m 755 "$directory" && echo x >"$directory/kept" ;;
	esac
	fails "runs_nothing_in_a_$1_of_the_directorys_name" m one 'echo x >/tmp/passwd'
	close_master one
}
for kind in link file; do
	replaced_by $kind
	within=20 succeeds "removes_the_$kind" wait_for nothing_left
	succeeds "and_nothing_behind_it" grep -q ^root /etc/passwd
done
replaced_by foreign
within=20 succeeds leaves_the_foreign_directory_and_no_record wait_for eval '[ -z "$(ls /run/stockade/1000)" ]'
is and_what_is_in_it "$(ls "$directory")" kept
rm -rf "$directory"
in_memory && mark
for _ in $(seq 40); do b 'df -B1M --output=size /tmp | tail -n 1' & done >/tmp/sizes 2>&1
wait
is forty_at_once_each_have_their_own_size "$(sort /tmp/sizes | uniq -c | tr -s ' ')" ' 40 20'
is and_none_was_without_a_directory "$(records refuse)" ''
within=20 succeeds forty_at_once_leave_nothing wait_for nothing_left
default_profile

# --- a first connection from a shell with any umask
rm -rf /run/stockade
(umask 077 && pamtester sshd build open_session close_session) >/dev/null
master one && m one 'echo kept >/tmp/kept'
is the_callers_umask_hides_no_record "$(m one 'cat /tmp/kept' 2>&1)" kept
close_master one
within=20 wait_for nothing_left

# --- a killed gateway
master one
m one 'sleep 300' >/dev/null 2>&1 &
wait_for eval 'pgrep -f "^sleep 300" >/dev/null'
mark
pkill -9 -x stockade-gatewa
sleep 0.3
fails killed_gateway_leaves_no_command pgrep -f '^sleep 300'
close_master one
within=20 wait_for nothing_left
has close_tells_of_the_lost_run "$(records end)" 'end session=* by=lost *'
# --- close ends what still runs
master one
m one 'trap "" HUP TERM; sleep 301' >/dev/null 2>&1 &
wait_for eval 'pgrep -f "^sleep 301" >/dev/null'
with '[time]' 'grace = 1s'
close_master one
within=20 succeeds ends_the_runs_of_a_closed_connection wait_for nothing_left
fails ends_their_commands pgrep -f '^sleep 301'
default_profile

# --- leftovers of a crash
for i in $(seq 300); do install -d -o build -g build "$base/left$i/tmp" && chown build "$base/left$i"; done
mkdir -p /run/stockade/1000 && printf 'pid=4194303\nstart=1\nlost=0\ntmpfs=0\nfrom=-\nauth=' >/run/stockade/1000/dead && chgrp build /run/stockade/1000/dead && chmod 640 /run/stockade/1000/dead
echo garbage >/run/stockade/1000/garbage
install -d -o build /var/lib/stockade/tmp/build/dead
b true
within=20 succeeds sweeps_what_a_crash_left wait_for nothing_left
ln -s /etc $base/evil && install -d -o plain $base/foreign && touch $base/file
b true
succeeds sweep_removes_links_and_files test ! -e $base/evil -a ! -e $base/file
succeeds sweep_follows_no_link test -e /etc/passwd
rm -rf $base/foreign

# --- identity
fingerprint() { ssh-keygen -l -f "$1" | cut -d' ' -f2; }
client ssh-keygen -q -t ed25519 -N '' -f /home/client/alice -C alice <<<y >/dev/null
client ssh-keygen -q -t ed25519 -N '' -f /home/client/bob -C bob <<<y >/dev/null
client ssh-keygen -q -t ed25519 -N '' -f /home/client/ca <<<y >/dev/null
client ssh-keygen -q -t ed25519 -N '' -f /home/client/carol <<<y >/dev/null
client ssh-keygen -q -s /home/client/ca -I carol-id -n carol,build /home/client/carol.pub
cat /home/client/alice.pub /home/client/bob.pub >>/etc/ssh/keys/build
echo "cert-authority,principals=\"carol\" $(cat /home/client/ca.pub)" >>/etc/ssh/keys/build
as() { # KEY CMD...
	local key=$1
	shift
	client ssh "${options[@]}" -o IdentitiesOnly=yes -i "/home/client/$key" build@127.0.0.1 "$@"
}
install -d -o build -g build $work/alice $work/carol
{
	printf '[profile]\nmin_grade = partial\n[workspace]\npath = %s/%%a\n[cgroup]\nenforce = best-effort\n[actors]\n' $work
	printf 'alice = %s\ncarol = %s:carol\n' "$(fingerprint /home/client/alice.pub)" "$(fingerprint /home/client/ca.pub)"
} | profile
mark
is gives_each_actor_a_workspace "$(as alice pwd)" $work/alice
has names_actor_and_key "$(records start)" "start * actor=alice key=$(fingerprint /home/client/alice.pub) *"
is knows_a_certificate_by_its_ca_and_principal "$(as carol pwd)" $work/carol
is refuses_an_unknown_key "$(as bob true >/dev/null 2>&1; echo $?)" 126
has records_the_unknown_key "$(records refuse)" "refuse * key=$(fingerprint /home/client/bob.pub) * reason=actor *"
is typed_as_is_no_identity "$(as bob 'exec /usr/bin/stockade-gateway --as alice' >/dev/null 2>&1; echo $?)" 126
sed -i '1s/^/AcceptEnv SSH_*\n/' /etc/ssh/sshd_config.d/stockade.conf && reload_sshd
is variables_are_no_identity "$(SSH_USER_AUTH=/tmp/sshauth.x STOCKADE_ACTOR=alice as bob -o SendEnv='SSH_* STOCKADE_*' true >/dev/null 2>&1; echo $?)" 126
sed -i 1d /etc/ssh/sshd_config.d/stockade.conf && reload_sshd
printf '[command]\nshell = none\n' >/dev/null
mkdir -p /etc/stockade/profiles/build.d && printf '[profile]\nenabled = no\nmessage = ask the admin, alice\n' >/etc/stockade/profiles/build.d/alice.ini
has an_actors_file_disables_one "$(as alice true 2>&1)" 'stockade: ask the admin, alice*'
is and_leaves_the_others "$(as carol pwd)" $work/carol
rm -r /etc/stockade/profiles/build.d
# without the module: sshd's own note
sed -i '/pam_stockade/d' /etc/pam.d/sshd
is without_the_module_the_key_is_known_too "$(as alice pwd)" $work/alice
printf 'account required pam_stockade.so\nsession required pam_stockade.so\n' >>/etc/pam.d/sshd

# --- who else gets in
default_profile
for service in cron atd; do printf 'account required pam_stockade.so\n' >"/etc/pam.d/test-$service"; done
cp /etc/pam.d/test-cron /etc/pam.d/cron.saved && [ -e /etc/pam.d/cron ] && cp /etc/pam.d/cron /root/cron.pam
printf 'account required pam_permit.so\naccount required pam_stockade.so\n' >/etc/pam.d/cron && cp /etc/pam.d/cron /etc/pam.d/atd && cp /etc/pam.d/cron /etc/pam.d/other-service
fails refuses_cron pamtester cron build acct_mgmt
fails refuses_at pamtester atd build acct_mgmt
succeeds lets_cron_of_others_pass pamtester cron plain acct_mgmt
succeeds lets_another_service_in pamtester other-service build acct_mgmt
rm -f /etc/pam.d/cron.saved /etc/pam.d/test-* /etc/pam.d/other-service /etc/pam.d/atd
with '[nonsense]' 'x = y'
fails ends_the_login_of_a_broken_profile b true
loudly() { client ssh -o LogLevel=INFO -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null build@127.0.0.1 "$@"; }
has and_says_so "$(loudly true 2>&1)" '*stockade: this account is not set up correctly*'
with '[profile]' 'enabled = no' 'message = back on monday'
fails ends_the_login_of_a_disabled_account b true
has and_gives_its_message "$(loudly true 2>&1)" '*stockade: back on monday*'
with_root() { client ssh "${options[@]}" root@127.0.0.1 "$@"; }
for broken in 'chmod 000 /etc/stockade' 'rm -rf /etc/stockade' 'echo x >/etc/stockade/profiles/root.ini' 'chown -R build /etc/stockade' 'rm -f /usr/bin/stockade-gateway'; do
	cp -a /etc/stockade /root/etc-saved && cp -a /usr/bin/stockade-gateway /root/gw-saved
	sh -c "$broken"
	succeeds "root_gets_in_after: $broken" with_root true
	succeeds "plain_gets_in_after: $broken" p true
	rm -rf /etc/stockade && mv /root/etc-saved /etc/stockade && cp -a /root/gw-saved /usr/bin/stockade-gateway
done
printf '#!/bin/sh\nkill -SEGV $$\n' >/usr/bin/stockade-gateway
succeeds root_gets_in_with_a_crashing_hook with_root true
cp -a /root/gw-saved /usr/bin/stockade-gateway
default_profile
succeeds works_afterwards b true

# --- pam_exec with the hook form
sed -i '/pam_stockade/d' /etc/pam.d/sshd
printf 'session required pam_exec.so quiet /usr/bin/stockade-gateway --hook open\n' >/etc/pam.d/stockade-open
sed -i '$a session optional pam_exec.so quiet type=open_session /usr/bin/stockade-gateway --hook open\nsession optional pam_exec.so quiet type=close_session /usr/bin/stockade-gateway --hook close' /etc/pam.d/sshd
master one
m one 'echo kept >/tmp/kept'
is pam_exec_gives_a_connection_its_tmp "$(m one 'cat /tmp/kept')" kept
close_master one
within=20 succeeds pam_exec_leaves_nothing wait_for nothing_left
sed -i '/pam_exec/d' /etc/pam.d/sshd
rm -f /etc/pam.d/stockade-open
sed -i '/alice\|bob\|cert-authority/d' /etc/ssh/keys/build
totals pam

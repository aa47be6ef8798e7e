# SPDX-License-Identifier: ISC
# What must be refused: each with its own sentence, a record, status 125 or 126, and nothing run.
# Runs as root in a bed, after setup.sh.
# shellcheck shell=bash
marker=$work/marker
ini=/etc/stockade/profiles/build.ini

refused() { # NAME STATUS REASON DETAIL-PATTERN
	local out rc record
	rm -f $marker
	mark
	out=$(b "touch $marker" 2>&1 </dev/null)
	rc=$?
	record=$(records refuse)
	is "$1: status" $rc "$2"
	has "$1: record" "$record" "refuse session=* user=build * reason=$3 * detail=*$4*"
	has "$1: sentence" "$out" "stockade: * \[session *\]"
	is "$1: one line" "$(printf '%s\n' "$out" | wc -l)" 1
	fails "$1: nothing ran" test -e $marker
}
base() { printf '[profile]\nmin_grade = partial\n[workspace]\npath = %s\n[cgroup]\nenforce = best-effort\n' "${1:-$work}"; }

mv $ini /root/
refused no_profile 126 profile 'no profile for user build'
mv /root/build.ini $ini
chown build $ini && refused profile_of_another_owner 126 profile "is not root's"
chown root $ini && chmod 666 $ini && refused profile_that_others_write 126 profile 'others can write it'
chmod 664 $ini && refused profile_that_the_group_writes 126 profile 'others can write it'
chmod 644 $ini
chmod 777 /etc/stockade/profiles && refused directory_that_others_write 126 profile 'others can write it'
chmod 755 /etc/stockade/profiles
mv $ini /etc/stockade/real.ini && ln -s ../real.ini $ini
refused profile_behind_a_link 126 profile 'reached through a link'
rm $ini && mv /etc/stockade/real.ini $ini
{ base && echo '[command]' && echo 'shel = /bin/sh'; } | profile
refused unknown_key 126 profile "build.ini:8: \[command\] shel: no such key"
{ base && echo '[commands]' && echo 'shell = /bin/sh'; } | profile
refused unknown_section 126 profile 'no such section'
{ base && echo 'enforce = required'; } | profile
refused duplicate_key 126 profile 'build.ini:7: \[cgroup\] enforce'
{ base && printf '[time]\ntimeout = soon\n'; } | profile
refused value_out_of_range 126 profile 'build.ini:8: \[time\] timeout'
{ base && printf '[tmp]\nsize = 1G\n'; } | profile
refused size_on_a_disk_without_quotas 125 session 'project quotas'
for path in / /usr /usr/local /etc /home /home/build /home/build/.cache /var /var/lib/stockade/tmp /run/user/1000 /proc /tmp /lib /lib64/x; do
	base $path | profile
	refused "unsafe_workspace_$path" 126 profile "$path"
done
base /srv/absent | profile
refused absent_workspace 126 profile 'does not exist'
install -d -o plain -g plain /srv/others
base /srv/others | profile
refused workspace_of_another 126 profile 'belongs neither'
ln -sfn /srv/others $work/link
base $work/link | profile
refused workspace_behind_the_accounts_link 126 profile 'link that others can replace'
rm -f $work/link
# A shown path with a component that the account owns, pointed at its runtime directory.
install -d -o build -g build /srv/swap && ln -sfn /run/user/1000 /srv/swap/tools
{ base && printf '[view]\nread = /srv/swap/tools\n'; } | profile
refused shown_path_that_the_account_swaps 126 profile '/srv/swap'
rm -f /srv/swap/tools && install -d -o build /srv/swap/tools
refused shown_path_that_the_account_could_swap 126 profile 'could be replaced'
{ base && printf '[view]\nread = /run/dbus\n'; } | profile
refused shown_path_below_run 126 profile '/run'
{ base && printf '[view]\nread = %s/x\n' $work && mkdir -p $work/x; } | profile
refused shown_path_in_a_writable_tree 126 profile "$work"
{ base && printf '[deny]\nx = rm ...\n'; } | profile
refused deny_without_allow 126 profile 'stands without'
{ base && printf '[profile]\n'; } | sed 's/^min_grade.*/&\nenabled = no\nmessage = back on monday/' | profile
refused disabled_account 126 disabled 'enabled = no'
{ base && printf '[allow]\nmake = make ...\n'; } | profile
refused command_without_a_rule 126 rule 'touch*is not among this account'
default_profile

# --- tools: absent, setuid, not root's
for tool in bwrap prlimit env; do
	path=/usr/bin/$tool
	cp -p $path /root/$tool
	chmod 4755 $path && refused "setuid_$tool" 125 tools 'is setuid'
	chmod 755 $path && chown build $path && refused "foreign_$tool" 125 tools "is not root's"
	chown root $path && rm $path && refused "absent_$tool" 125 tools 'does not exist'
	cp -p /root/$tool $path && chown root:root $path && chmod 755 $path
done
chmod 4755 /usr/bin/systemd-run && refused setuid_systemd_run 125 tools 'is setuid'
chmod 755 /usr/bin/systemd-run
succeeds works_again_afterwards b true

# --- no log, no run
mv /run/systemd/journal/dev-log /run/systemd/journal/away
rm -f $marker
out=$(b "touch $marker" 2>&1 </dev/null)
is no_syslog_socket:_status $? 125
has no_syslog_socket:_sentence "$out" 'stockade: *log*'
fails no_syslog_socket:_nothing_ran test -e $marker
mv /run/systemd/journal/away /run/systemd/journal/dev-log
totals refusals

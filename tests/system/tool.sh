# SPDX-License-Identifier: ISC
# stockade who, last, kill, disable, enable: what they say of real commands. Runs as root in a bed, after setup.sh.
# shellcheck shell=bash
sed -i '/pam_stockade/d' /etc/pam.d/sshd # with the module a disabled account is turned away before the gateway
default_profile
b "sleep 500; : $(printf '\x1b')[31mred" >/dev/null 2>&1 &
wait_for eval 'stockade who | grep -q "sleep 500"'
who=$(stockade who)
has who_shows_the_command "$who" '*build*127.0.0.1:*exec*sleep 500*'
is who_shows_no_control_byte "$(printf '%s' "$who" | tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')" 0
has who_in_json "$(stockade who --json)" '*"user":"build"*'
session=$(stockade who --json | sed -n 's/.*"session":"\(.*\)",/\1/p' | head -n 1)
mark
succeeds kill_ends_a_session stockade kill "$session"
within=20 succeeds and_it_is_gone wait_for eval '! stockade who | grep -q "sleep 500"'
within=10 wait_for eval 'records end | grep -q .'
has end_by_admin "$(records end)" "end session=$session * by=admin *"
fails kill_of_nothing_fails stockade kill abcdefgh

b true >/dev/null 2>&1
last=$(stockade last -n 50)
has last_shows_start_and_end "$last" '*start*build*end*payload*'
runuser -u client -- logger -t stockade 'end session=forged00 user=build actor=alice by=payload exit=0 signal=- secs=9999.00 cpu=9999.00'
runuser -u client -- logger -t stockade "start session=forged01 user=build actor=root from=- cmd=\"$(printf '\x1b')[2J\""
journalctl --sync
last=$(stockade last -n 50)
has last_calls_a_forged_record_unverified "$last" '*UNVERIFIED end session=forged00*'
is last_shows_no_control_byte "$(printf '%s' "$last" | tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')" 0
case $(stockade last --by actor) in *9999*) not_ok last_adds_up_no_forged_record ;; *) ok last_adds_up_no_forged_record ;; esac
has last_adds_up_by_actor "$(stockade last --by actor)" '*ACTOR*RUNS*'

succeeds disable stockade disable build --message 'back on monday; ask #ops'
has disabled_says_so "$(b true 2>&1)" 'stockade: back on monday; ask #ops*'
succeeds disable_twice stockade disable build
has disabled_without_a_message "$(b true 2>&1)" 'stockade: this account is disabled*'
succeeds enable stockade enable build
is enable_gives_back_the_file "$(cat /etc/stockade/profiles/build.ini)" "$(cat /etc/stockade/build.default)"
succeeds works_again b true
fails disable_of_nobody stockade disable nobody-there
for bad in '../x' '-x' '--as' 'a]' "$(printf 'build\n[profile]')" "$(printf '\033[2J')" 'build/../build' ''; do
	for verb in disable enable; do fails "${verb}_of_${bad@Q}" stockade $verb "$bad"; done
	[ -z "$bad" ] || fails "disable_of_an_actor_${bad@Q}" stockade disable build --actor "$bad"
	is "explain_of_${bad@Q}" "$(stockade explain "$bad" -- true 2>/dev/null | grep -c 'verdict: runs')" 0
	is "explain_of_an_actor_${bad@Q}" "$(stockade explain build --actor "$bad" -- true 2>/dev/null | grep -c 'verdict: runs')" 0
	is "check_of_${bad@Q}" "$(status stockade check "$bad")" 2
done
is none_of_them_made_a_file "$(cd /etc && find stockade ! -name build.default ! -name stockade.ini | sort | tr '\n' ' ')" 'stockade stockade/profiles stockade/profiles/build.ini '
fails disable_with_a_path stockade disable ../../etc/x
fails disable_with_a_newline stockade disable build --message "$(printf 'a\nb')"

# --- sftp's own log
cd /home/client && client sh -c 'echo data >up'
printf 'put up "a b"\nget "a b" down\nrename "a b" c\nrm c\n' >batch
mark
client sftp -q -b batch "${options[@]}" build@127.0.0.1 >/dev/null 2>&1
has sftp_open "$(records sftp)" "*op=open path=\"$work/a b\"*"
has sftp_close_with_bytes "$(records sftp)" "*op=close path=\"$work/a b\" bytes=5 way=in*op=close path=\"$work/a b\" bytes=5 way=out*"
has sftp_rename "$(records sftp)" "*op=rename path=\"$work/a b\" to=$work/c*"
has sftp_remove "$(records sftp)" "*op=remove path=$work/c*"
is sftp_says_nothing_to_the_user "$(client sftp -q -b batch "${options[@]}" build@127.0.0.1 2>&1 | grep -vc '^sftp>')" 0
cd /
{ cat /etc/stockade/build.default && printf '[command]\nsftp = read\n'; } | profile
b 'echo x >seen'
printf 'get seen seen\n' >/home/client/batch
succeeds sftp_read_reads client sh -c "cd && sftp -q -b batch ${options[*]} build@127.0.0.1"
printf 'put seen unseen\n' >/home/client/batch
fails sftp_read_does_not_write client sh -c "cd && sftp -q -b batch ${options[*]} build@127.0.0.1"
fails sftp_read_wrote_nothing test -e $work/unseen
{ cat /etc/stockade/build.default && printf '[command]\nsftp = no\n'; } | profile
mark
# sshd passes on nothing that a subsystem says on stderr: the log alone has the sentence.
fails sftp_no client sh -c "cd && sftp -q -b batch ${options[*]} build@127.0.0.1"
is sftp_no:_status "$(status client ssh "${options[@]}" -s build@127.0.0.1 sftp)" 126
has sftp_no_is_logged "$(records refuse)" '*kind=sftp reason=rule *sftp is not allowed*'

# --- terminal escapes of a client's, and of other people's files
evil=$(printf 'true \033[2J\033]0;x\a\x9b31m')
for form in '' --json --script; do
	shown=$(stockade explain build $form -- "$evil")
	has "explain${form}_shows_it" "$shown" '*2J*'
	is "explain${form}_shows_no_control_byte" "$(printf '%s' "$shown" | tr -d '\n\t' | LC_ALL=C grep -c '[[:cntrl:]]')" 0
done
b "$evil" >/dev/null 2>&1
has last_has_it_escaped "$(stockade last -n 20)" '*true \\x1b?2J*'
is last_shows_no_control_byte_of_it "$(stockade last -n 20 | tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')" 0

# --- explain shows the chain that runs, with its scope, also where that cannot hold limits
b true </dev/null
has explain_shows_the_scope "$(stockade explain build -- true)" '*chain:*systemd-run*--scope*bwrap*'

# --- a profile of ten thousand lines
{ cat /etc/stockade/build.default && echo '[allow]' && for ((i = 0; i < 10000; i++)); do echo "rule$i = make target$i ..."; done; } | profile
has many_rules:_the_last_one_matches "$(stockade explain build -- make target9999 x)" '*rule: \[allow\] rule9999 = make target9999 ...*'
is many_rules:_no_other_matches "$(status b make targetx)" 126
stockade check build >/root/check-many
is many_rules:_and_none_is_wrong "$(grep -c ' rule-' /root/check-many)" 0
{ cat /etc/stockade/build.default && for ((i = 0; i < 20001; i++)); do echo "a$i = b"; done; } | profile
has too_many_lines_are_refused "$(stockade explain build -- true)" '*verdict: refused, reason=profile*'
default_profile

# --- rules
{ cat /etc/stockade/build.default && printf '[allow]\nmake = make ...\ngit = git-upload-pack *\n[deny]\nevil = make *--eval*\n[menu]\ndeploy = "echo deployed; echo $HOME"\n'; } | profile
is rules:_allowed "$(b make --version | head -n 1 | cut -c1-8)" 'GNU Make'
has rules:_sentence "$(b gcc x.c 2>&1)" 'stockade: "gcc" is not among this account'"'"'s commands: deploy, make, git-upload-pack, sftp \[session *'
is rules:_status "$(status b gcc x.c)" 126
has rules:_denied "$(b "make '--eval=x:;id'" 2>&1)" '*is denied*'
for evil in 'make; id' 'make && id' 'make | id' 'make $(id)' 'make `id`' 'make > /tmp/x' "$(printf 'make\nid')" 'make & id' 'make "$(id)"' '(make)' "$(printf 'make\x0bid')" "$(printf 'make\r')"; do
	is "rules:_refuses_${evil@Q}" "$(status b "$evil")" 126
done
is rules:_menu "$(b deploy | tr '\n' ' ')" 'deployed /home/build '
is rules:_menu_takes_no_more "$(status b 'deploy now')" 126
mark
b deploy >/dev/null
has rules:_menu_record "$(records start)" '*kind=menu *rule=deploy *'
is rules:_no_login "$(status b -T)" 126
default_profile

# --- logind stops the manager of somebody who logged out ten seconds ago, and with it what probe runs by it
manager=user@$(id -u build).service
wait_for eval '[ "$(systemctl is-active "$manager")" = inactive ]'
systemctl start "$manager"
{ wait_for pgrep -u build -f workspace-is-cwd && systemctl stop "$manager"; } >/dev/null 2>&1 &
has probe_outlives_the_manager "$(stockade probe build | grep '^[a-z]* *real-run ')" '* status=0*'
wait $!
is probe_leaves_no_manager "$(systemctl is-active "$manager")" inactive
totals tool

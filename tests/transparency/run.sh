# SPDX-License-Identifier: ISC
# The same action of a client against an account with plain sshd and one behind the gateway: the same bytes on both
# streams, and the same status. Runs as root in a bed, after setup.sh; tests/faults/lib.sh stands before it.
# What must differ is the list in stockade-gateway(8), DIFFERENCES FROM PLAIN SSHD, and nothing else.
# shellcheck shell=bash disable=SC2016,SC2154,SC2028,SC1003
default_profile
there=/tmp/transparency
rm -rf "$there" && client mkdir "$there" && cd "$there" || exit 1
# The profile's shell is /bin/sh; bash is compared further down.
usermod -s /bin/sh plain

# What an action is made of. `to` is the account.
cat >actions <<'END'
export options="-o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
s() { ssh $options -S /tmp/transparency/$to.master "$to@127.0.0.1" "$@"; } # one more command of a connection
f() { ssh $options -S none "$to@127.0.0.1" "$@"; }                        # a connection of its own
export -f s f
END
side() { # ACCOUNT NAME ACTION
	client env to="$1" BASH_ENV=$there/actions timeout 60 bash -c "$3" >"$1.out" 2>"$1.err" </dev/null
	echo $? >"$1.status"
}
both() { # NAME ACTION
	side build "$@" &
	side plain "$@"
	wait $!
}
show() { tr '\n' '~' <"$1" | cut -c1-200; }
# FILTER is a sed program that takes away, on both sides, what a wanted difference explains.
same() { # NAME ACTION [FILTER]
	local stream
	[[ $1 =~ ${STOCKADE_ONLY:-} ]] || return
	both "$1" "$2"
	[ "$(cat plain.status)" != 124 ] || { not_ok "$1: no end with plain sshd" && return; }
	for stream in out err; do
		[ -z "${3:-}" ] || sed -E -i "$3" build.$stream plain.$stream
		cmp -s build.$stream plain.$stream ||
			{ not_ok "$1: std$stream differs: got '$(show build.$stream)', plain sshd gives '$(show plain.$stream)'" && return; }
	done
	is "$1" "$(cat build.status)" "$(cat plain.status)"
}
# The account's name, its directories (5: commands start in the workspace), and the shell's (7: its messages).
names='s#\b(build|plain)\b#ACCOUNT#g; s#/(srv/work|home)/ACCOUNT#/DIR#g'
shell='s#^(/bin/)?(ba|da)?sh: #\2sh: #'
pts='s#/dev/pts/[0-9]+|/dev/console#TTY#g' # (8: its name)
for to in build plain; do
	client bash -c "to=$to; . ./actions; ssh \$options -M -S $there/$to.master -o ControlPersist=yes -n -N -f $to@127.0.0.1"
	client bash -c "to=$to; . ./actions; s 'rm -rf tr && mkdir tr'"
done

# --- exit statuses
same passes_statuses_from_0_to_255 'for code in {0..3} {11..120..12} {124..131} {137..255..11} 254 255; do s "exit $code"; echo $?; done'
same passes_the_status_of_a_killed_part 's "sh -c \"kill -9 \\\$\\\$\"; echo \$?; sh -c \"kill -TERM \\\$\\\$\"; exit \$?"' "$shell"
same passes_127_for_an_absent_program 's no-such-program --x' "$shell"
same passes_127_for_an_absent_path 's /no/such/program' "$shell"
same passes_126_for_a_directory 's /usr' "$shell"
same passes_126_for_a_file 's /etc/passwd' "$shell"
same passes_2_for_a_syntax_error 's "echo )"' "$shell"
same passes_the_status_of_exec 's "exec false"'
same passes_the_status_of_a_pipeline 's "true | exit 9"'
same passes_a_fast_end 'for i in {1..12}; do s "echo $i"; s true || echo bad; done'
same passes_a_fast_end_of_a_connection 'for i in 1 2 3; do f "printf $i; exit $i"; echo $?; done'

# --- streams
same keeps_streams_apart 's "echo out; echo err >&2"'
same keeps_an_only_error 's "echo err >&2; exit 3"'
same passes_each_byte 'perl -e "print map chr, 0..255, 0..255" | s cat | od -An -tx1'
same passes_each_byte_on_standard_error 'perl -e "print map chr, 0..255" | s "cat >&2" 2>&1 >/dev/null | od -An -tx1'
same passes_nuls 's "head -c 70000 /dev/zero" | sha256sum'
same passes_each_byte_alone 's "perl -e \"\\\$|=1; print STDOUT chr(65+\\\$_%26) for 1..5000\""'
same passes_each_byte_alone_on_both 's "perl -e \"\\\$|=1; for (1..2000) { print STDOUT chr(65+\\\$_%26); syswrite STDERR, chr(97+\\\$_%26) }\""'
same passes_each_byte_alone_of_input 'perl -e "\$|=1; for (1..400) { print chr(65+\$_%26); select undef,undef,undef,0.0005 }" | s cat'
same keeps_a_missing_final_newline 's "printf a; printf b >&2"'
same keeps_a_missing_final_newline_of_input 'printf "a\nb" | s cat'
same passes_nothing 's "cat"'
same passes_carriage_returns 's "printf \"a\\r\\nb\\rc\\n\""'
same passes_32_mib_both_ways 'perl -e "srand 7; print pack \"L*\", map int rand 2**32, 1..1<<18 for 1..32" | f cat | sha256sum'
same passes_8_mib_on_both 'f "head -c 8388608 /dev/zero; head -c 8388608 /dev/zero >&2" 2> >(sha256sum >&2) | sha256sum; sleep 0.2'
same passes_a_slow_reader 'f "seq 200000" | { sleep 1; sha256sum; }'
same passes_a_slow_writer '(echo a; sleep 0.3; echo b; sleep 0.3; echo c) | s "while read l; do echo got \$l; done"'

# --- standard input and its end
same sees_the_end_of_input 'printf "1\n2\n" | s "wc -l; echo after"'
same goes_on_after_the_end_of_input 's "sleep 0.4; echo late; sleep 0.2; exit 4" </dev/null'
same goes_on_when_input_is_closed 's "cat; sleep 0.2; echo late" <&-'
same reads_nothing_with_n 'echo hello | s -n "cat; echo end"'
same leaves_input_unread 'head -c 20000000 /dev/zero | f "exit 5"; echo "${PIPESTATUS[1]}"'
same leaves_input_unread_for_a_while 'head -c 20000000 /dev/zero | f "sleep 0.3; head -c 3 | od -c; exit 6"; echo "${PIPESTATUS[1]}"'
same closes_its_input_early 'head -c 20000000 /dev/zero | f "exec <&-; sleep 0.3; echo on; exit 7"; echo "${PIPESTATUS[1]}"'
same answers_while_input_is_open '{ coproc S { s "read a; echo \$a; read b; echo \$b; cat"; }; } 2>/dev/null; echo one >&${S[1]}; read -u ${S[0]} x; echo $x; echo two >&${S[1]}; read -u ${S[0]} x; echo $x'
same runs_a_script_from_input 'printf "cd /tmp\necho \$PWD\nexit 3\n" | s sh -s a b'
same gives_input_to_the_rest_of_a_script 'printf "read x\nhello\necho \$x\n" | s sh'

# --- output whose reader goes
# A terminal's input does not end; one that has ended makes it look like a client that was killed (3).
client mkfifo hold
same survives_head_on_output 'f "(yes); echo \$? >&2; sleep 0.5; exit 3" <>hold | head -n 2; echo "${PIPESTATUS[0]}"'
same survives_head_on_errors '{ f "(seq 3000 >&2); echo \$?; exit 3" <>hold 2>&1 >&3 | head -n 2 >&2; } 3>&1; echo "${PIPESTATUS[0]}"'
same survives_head_over_a_master 's "(yes); echo \$? >&2; sleep 0.5; exit 3" <>hold | head -n 2; echo "${PIPESTATUS[0]}"'
same survives_closed_output 's "echo x; echo y >&2; exit 3" >&-'
same survives_closed_errors 's "echo x; echo y >&2; exit 3" 2>&-'
same may_close_its_output 's "exec >&-; sleep 0.2; echo err >&2; exit 4"'
same may_close_its_errors 's "exec 2>&-; sleep 0.2; echo out; exit 4"'
same may_close_all_of_it 'f "exec <&- >&- 2>&-; sleep 0.5; exit 5"'
same may_close_all_of_it_over_a_master 's "exec <&- >&- 2>&-; sleep 0.5; exit 5"'
same waits_for_background_jobs_it_waits_for 's "(sleep 0.3; echo late) & echo now; wait"'
same does_not_wait_for_a_silent_job 's "sleep 1 >/dev/null 2>&1 </dev/null & echo now"'

# --- the command's text
same takes_words_apart_like_sshd 's echo "a  b" "c"'
same joins_words_with_a_blank 's printf "%s." a "" b'
same keeps_blanks_around_it 's "  echo  x  "'
same takes_a_blank_for_a_command 'echo "echo no" | s " "; echo $?'
same takes_an_empty_word_for_a_login 'printf "echo yes\nexit 3\n" | s "" | tail -n 1; echo "${PIPESTATUS[1]}"'
same takes_a_comment 's "# nothing"'
same takes_a_newline 's "echo a
echo b"'
same takes_a_here_document 's "cat <<END
a \$((1+2))
END"'
same takes_a_tab_and_a_return "s \$'echo\ta\rb' | od -c"
same takes_utf_8 's "printf %s ü€😀" | od -An -tx1'
same takes_bytes_that_are_no_utf_8 "s \$'printf %s \"\\xe9\\xff\\x80\"' | od -An -tx1"
all=$(for ((i = 1; i < 256; i++)); do [ $i -eq 39 ] || printf '\\x%02x' $i; done)
same takes_each_byte "s \"\$(printf \"printf %%s '%b'\" '$all')\" | od -An -v -tx1"
while IFS= read -r line; do
	number=$((${number:-0} + 1))
	printf '%s' "$line" >text && chmod 644 text
	same "quotes_like_sshd_$number" 's "cd tr; $(cat text)"' "$shell"
	same "quotes_words_like_sshd_$number" 's printf "%s." "$(printf %q "$(cat text)")"' "$shell"
done <<'END'
echo "a b"  'c  d' e\ f \\ "\\" '\'
echo $((6*7)) $(echo sub) `echo back` "$(echo "in ner")"
echo 'it'\''s' "it's" it\'s "say \"x\""
x=1; echo "$x" '$x' \$x ${x}y ${y:-none} ${x:+set}
touch a1 a2; echo a* 'a*' "a?" a[12] a\*; rm a1 a2
echo ~ >/dev/null; echo '~' "~" \~ a~
echo a;echo b&&echo c||echo d;(echo e);{ echo f; }
echo a | tr a b >o; cat <o; cat o 2>&1 | wc -l; rm o
! true; echo $?; if false; then :; else echo else; fi
case x in x) echo "x)";; esac; for i in 1 2; do printf "$i "; done
echo "unbalanced
echo 'unbalanced
echo $(
echo "\$HOME" '$HOME' "`echo '\\$'`"
printf '%s\n' -n -- -e "" '' "-"
echo \\\\ '\\\\' "\\\\\\\\" \\n "\\n"
set -- "$@" x; echo $# "$1"; echo "$#"
echo "!!" '!' !x "#" a#b
exec 3>&1; echo three >&3; echo four 1>&2 2>&1
echo {a,b} [a-z] "{a}" %s %d
END
long='$(printf "%*s" 100000 "" | tr " " x)'
same takes_100_kb "s \": $long; echo done\""
same takes_a_word_of_100_kb "s echo $long | wc -c"
same takes_many_words "s echo \$(seq 20000) | cksum"
same takes_100_kb_over_a_connection "f \": $long; exit 3\""
both refuses_what_no_kernel_takes 's ": $(printf "%*s" 140000 "" | tr " " x)"'
if [ "$(cat plain.status)" -ne 0 ] && [ "$(cat build.status)" -ne 0 ]; then ok refuses_what_no_kernel_takes; else not_ok refuses_what_no_kernel_takes; fi

# --- without a terminal, and with one
same has_no_terminal 's "tty; test -t 0 || test -t 1 || test -t 2; echo \$?; : </dev/tty"' "$shell"
same has_no_terminal_with_t_and_a_pipe 'f -t "tty; echo \$?" </dev/null'
same runs_a_login_script_with_T 'printf "echo \$((6*7))\nexit 4\n" | f -T | tail -n 1; echo "${PIPESTATUS[1]}"'
same has_a_terminal_with_tt 'f -tt "tty; echo \$?; test -t 0 && test -t 1 && test -t 2 && echo three; echo x >/dev/tty" </dev/null' "$pts"
same passes_the_status_with_a_terminal 'for code in 0 1 77 255; do s -tt "exit $code" </dev/null; echo $?; done'
same joins_streams_on_a_terminal 's -tt "echo out; echo err >&2" </dev/null'
same passes_8_mib_on_a_terminal 's -tt "head -c 8388608 /dev/zero | tr \"\\0\" a" </dev/null | sha256sum'
same passes_bytes_on_a_raw_terminal 's -tt "stty raw; perl -e \"print map chr, 0..255\"" </dev/null | od -An -tx1'
same keeps_the_end_of_output_on_a_terminal 'for i in 1 2 3; do s -tt "seq 3000" </dev/null | cksum; done'
same has_the_terminal_over_a_master 's -tt "stty size; tty" </dev/null' "$pts"
same has_standard_terminal_settings 's -tt "stty -a" </dev/null'
same has_the_clients_TERM 'TERM=vt100 s -tt "echo \$TERM; tput cols" </dev/null; TERM=xterm-256color s -tt "echo \$TERM" </dev/null'
terminal() { # NAME ROWS COLUMNS STEPS SSH-WORD...: with steps for drive
	local name=$1 rows=$2 columns=$3 steps=$4 to filter="$pts; ${filter:-}"
	shift 4
	for to in build plain; do
		printf '%s\n' "$steps" | drive "$rows" "$columns" ssh "${options[@]}" "$to@127.0.0.1" "$@" >$to.out 2>$to.err
		echo $? >$to.status
		sed -E -i "$filter" $to.out
	done
	if [ -s plain.err ]; then
		not_ok "$name: plain sshd: $(cat plain.err) $(show plain.out)"
	elif cmp -s build.out plain.out; then
		is "$name" "$(cat build.status)" "$(cat plain.status)"
	else
		not_ok "$name: got '$(show build.out)' ($(cat build.err)), plain sshd gives '$(show plain.out)'"
	fi
}
terminal has_the_window_that_is_given 33 97 '' -t 'stty size; exit 6'
terminal has_the_settings_of_the_clients_terminal 24 80 '' -t 'stty -a'
on_signal() { echo "exec perl -e '\$| = 1; \$SIG{$1} = sub { print \"$2\"; system(q(stty size)); exit 3 }; print qq(ready\\n); sleep 9 while 1'"; }
terminal sees_a_new_window 24 80 $'< ready\nsize 31 93\n< 31 93' -t "$(on_signal WINCH changed)"
terminal passes_ctrl_c 24 80 $'< ready\n> \\003\n< interrupted' -t "$(on_signal INT interrupted)"
terminal passes_ctrl_backslash 24 80 $'< ready\n> \\034\n< quit' -t "$(on_signal QUIT quit)"
terminal passes_ctrl_d 24 80 $'< ready\n> line\\r\\004' -t 'echo ready; cat; echo end; exit 5'
terminal echoes_what_is_typed 24 80 $'< ready\n> abc\\177d\\025xyz\\r\n< got xyz' -t 'echo ready; read line; echo "got $line"'
terminal echoes_nothing_when_told 24 80 $'< ready\n> secret\\r\n< got 6' -t 'stty -echo; echo ready; read line; echo "got ${#line}"'
terminal passes_keys_one_by_one 24 80 $'< ready\n> q\n< key q' -t 'stty -icanon -echo min 1; echo ready; key=$(dd bs=1 count=1 2>/dev/null); echo "key $key"'
terminal stops_and_starts_output 24 80 $'< ready\n> \\023\\021go\\r\n< got go' -t 'echo ready; read line; echo "got $line"'
terminal closes_with_the_escape 24 80 $'< ready\n> \\r~.\n' -t 'echo ready; cat >/dev/null'
usermod -s /bin/bash plain
# Whether bash tells of the kill before or after `jobs` looks is a race of its own.
filter='1,/^ready:/d; s/^ready://; /Killed/d; /^over/,$d' terminal logs_in_with_job_control 24 80 $'< $ \n> PS1=rea""dy:; unset PROMPT_COMMAND; bind "set enable-bracketed-paste off"\\r\n< ready:\n> sh -c "sleep 60 & echo u""p; wait"; echo $?\\r\n< up\n> \\032\n< Stopped\n< ready:\n> jobs; kill -9 %1; while jobs %1 >/dev/null 2>&1; do sleep 0.1; done; echo o""ver\\r\n< over\n< ready:\n> exit 9\\r' -t
usermod -s /bin/sh plain

# --- many
same runs_20_over_one_connection 'for i in {1..20}; do s "cat; echo $i >&2; exit $i" <<<"in $i" >many.$to.$i 2>&1 & pids[$i]=$!; done; for i in {1..20}; do wait ${pids[$i]}; echo $?; cat many.$to.$i; done'
same runs_20_connections 'for i in {1..20}; do f "cat; echo $i >&2; exit $i" <<<"in $i" >many.$to.$i 2>&1 & pids[$i]=$!; done; for i in {1..20}; do wait ${pids[$i]}; echo $?; cat many.$to.$i; done'

# --- files
same keeps_the_umask 's "umask; cd tr; touch f; mkdir d; touch x; chmod +x x; stat -c \"%a %n\" f d x; rm -r f d x"'
same makes_every_kind_of_file 's "cd tr; mkfifo p; ln -s a l; touch a; ln a b; perl -MSocket -e \"socket(S,PF_UNIX,SOCK_STREAM,0);bind(S,sockaddr_un(q(s)))\"; truncate -s 1M big; chmod 1777 .; stat -c \"%a %F %h %s %N %U\" a b big l p s .; rm *; chmod 755 ."' "$names"
same sets_modes_and_times 's "cd tr; touch -d @1000000000 a; for m in 0 400 640 755 777 1777; do chmod \$m a; stat -c \"%a %Y\" a; done; rm -f a"'
same sees_its_own_ids 's "test \$(id -un) = \$USER && test \$USER = \$LOGNAME && id -gn && test -O tr && test -w tr && echo mine"' "$names"
same locks_files 's "cd tr; exec 9>l; flock -n 9 && flock -n l true; echo \$?; rm l"'
same has_the_usual_devices 's "for d in null zero full random urandom tty ptmx fd stdin stdout stderr shm pts; do test -e /dev/\$d && echo \$d; done; echo x >/dev/null; head -c 2 /dev/zero | od -An -c; echo y >/dev/stderr; echo z >/dev/full"' "$shell"
same makes_temporary_files 's "f=\$(mktemp) && echo x >\$f && cat \$f && rm \$f; test -w /tmp && test -w /var/tmp && test -w /dev/shm && stat -c %a /tmp /var/tmp"'
same writes_at_home 's "echo x >~/tr-home && cat ~/tr-home && rm ~/tr-home"'

# --- environment, locale, time
same has_the_clients_locale_when_it_is_the_profiles 'LC_ALL=C.UTF-8 s -o SendEnv=LC_ALL "locale charmap; printf \"b\\nB\\na\\n\" | sort; printf ü | wc -m"'
same has_the_time 's "date +%Z; test \$(date +%s) -gt 1000000000"'
same starts_with_default_signals 's "grep -E \"^Sig(Blk|Ign)\" /proc/self/status"'
same starts_with_three_descriptors 's "ls /proc/self/fd" | head -n 4'
same has_priority_and_affinity 's "nice; nproc; cut -d\" \" -f19 /proc/self/stat"'

# --- clients of the protocols built on ssh
head -c 300000 /dev/urandom >bin && chmod 644 bin && client mkdir -p from/d && client sh -c 'echo x >from/x; echo y >"from/d/y z"; ln -s x from/l; chmod 640 from/x'
export_ssh='export GIT_SSH_COMMAND="ssh $options"; at=$to@127.0.0.1; rm -rf "got.$to"; mkdir "got.$to"; cd "got.$to"; '
there_and_back='(cd back && find . -printf "%p %m %s %l\n" | sort && cat x "d/y z"); cmp ../bin bin2'
same copies_with_scp "$export_ssh scp -q \$options -pr ../from \$at:tr/ && scp -q \$options ../bin \$at:tr/ && scp -q \$options -pr \$at:tr/from back; scp -q \$options \$at:tr/bin bin2; s 'rm -r tr/*'; $there_and_back"
same copies_with_the_old_scp "$export_ssh scp -O -q \$options -pr ../from \$at:tr/ && scp -O -q \$options ../bin \$at:tr/ && scp -O -q \$options -pr \$at:tr/from back; scp -O -q \$options \$at:tr/bin bin2; s 'rm -r tr/*'; $there_and_back"
same copies_with_rsync "$export_ssh rsync -ae \"ssh \$options\" ../from ../bin \$at:tr/ && rsync -ae \"ssh \$options\" \$at:tr/from/ back && rsync -ae \"ssh \$options\" \$at:tr/bin bin2; s 'rm -r tr/*'; $there_and_back"
same fails_to_fetch_with_scp "$export_ssh"'scp $options $at:tr/absent .; echo $?; scp -O $options $at:tr/absent .; echo $?; scp $options "$at:tr/*.none" .; echo $?' "$names; $shell"
same fails_to_send_with_scp "$export_ssh"'scp $options ../bin $at:absent/dir/; echo $?; scp -O $options ../bin $at:absent/dir/; echo $?; scp $options ../from $at:tr/' "$names; $shell"
same fails_with_sftp "$export_ssh"'printf "get tr/absent\n" | sftp $options -b - $at; echo $?; printf -- "-get tr/absent\n-rm tr/absent\n-cd absent\npwd\n" | sftp $options -b - $at' "$names"
same does_everything_with_sftp "$export_ssh"'sftp $options -b - $at <<END
cd tr
lpwd
put -p ../from/x
chmod 600 x
rename x y
symlink y l
ls -1
mkdir d
put -r ../from
get -r from back
ls -1 from
rm y
rm l
rmdir d
df
version
END
find back -printf "%p %m %s\n" | sort; s "rm -r tr/*"' "$names; "'/^ +[0-9]+ +[0-9]+.*%$/d; s#/tmp/transparency/got\.[a-zA-Z]+#GOT#'
same fails_with_rsync "$export_ssh"'rsync -e "ssh $options" $at:tr/absent .; echo $?; rsync -e "ssh $options" ../bin $at:absent/dir/x; echo $?; rsync --rsync-path=no-such-rsync -e "ssh $options" ../bin $at:; echo $?' \
	"$names; $shell; "'s/^127$|\(code 127\)|unexplained error|remote command not found|error in rsync protocol data stream/12/g; s/\(code 12\)/12/;'\
'/change_dir#3|\(code 3\)/d' # whether it has seen the end of ssh, and waited for the rest of its standard error
same shows_what_rsync_does "$export_ssh"'rsync -aivn -e "ssh $options" ../from $at:tr/ | grep -v "^sent\|^total"' "$names"
same works_with_git "$export_ssh"'exec 2>&1; git init -q -b main g; cd g; git config user.email a@example.org; git config user.name a; export GIT_AUTHOR_DATE=@1000000000 GIT_COMMITTER_DATE=@1000000000; echo hi >a; git add a; git commit -qm a; s "git init -q --bare -b main tr/r.git && printf \"#!/bin/sh\necho said by a hook; cat\nexit 3\n\" >tr/r.git/hooks/pre-receive"; git push -q $at:tr/r.git main; echo $?; s "chmod +x tr/r.git/hooks/pre-receive"; echo b >a; git commit -qam b; git push -q $at:tr/r.git main; echo $?; git clone -q "$at:tr/r.git" c; git -C c log --format=%s; git clone -q $at:tr/absent.git; echo $?; git ls-remote $at:tr/r.git; s "rm -rf tr/r.git"' "$names"
same runs_the_subsystem_by_name 's -s no-such-subsystem; echo $?'

# --- bash on both sides
printf '[command]\nshell = /bin/bash\n' | cat /etc/stockade/build.default - | profile
usermod -s /bin/bash plain
same bash_quotes_alike 'f "echo \$'\''a\\tb\\x41\\xfc\'\'''\'' \$((2**10)) {a,b}{1..3} \"\${x:=1}\"; cat <(echo in); [[ abc == a* ]] && echo \${BASH_VERSION%%.*}; a=(1 2 3); echo \${a[@]} \${#a[@]}"'
same bash_passes_statuses_alike 'f "set -o pipefail; false | true; echo \$?; no-such-program; exit 9"; f "echo )"; echo $?' "$shell"
default_profile
usermod -s /bin/sh plain

# --- the differences that are wanted, in the order of the man page
plain_out() { tr '\n' ' ' <plain.out; }
build_out() { tr '\n' ' ' <build.out; }
wanted=()
# Both sides literally: where they differ on purpose, a comparison says nothing.
differs() { # NAME ACTION PLAIN-PATTERN BUILD-PATTERN [FILTER]
	both "$1" "$2"
	[ -z "${5:-}" ] || sed -E -i "$5" build.out plain.out
	has "wanted_$1_of_plain_sshd" "$(plain_out)" "$3"
	has "wanted_$1" "$(build_out)" "$4"
}

wanted+=('dies of a signal')
differs signal 'for signal in HUP INT QUIT ILL TRAP ABRT FPE KILL USR1 SEGV USR2 PIPE ALRM TERM; do s "ulimit -c 0; echo $signal; kill -$signal \$\$"; echo $?; done' \
	"$(for signal in HUP INT QUIT ILL TRAP ABRT FPE KILL USR1 SEGV USR2 PIPE ALRM TERM; do printf '%s 255 ' $signal; done)" \
	"$(for signal in HUP INT QUIT ILL TRAP ABRT FPE KILL USR1 SEGV USR2 PIPE ALRM TERM; do printf '%s %s ' $signal $((128 + $(kill -l $signal))); done)"
is wanted_signal_says_nothing_more "$(cat build.err)" ''

wanted+=('everything it started ends')
differs jobs 's "(sleep 1; echo late) & echo now"' 'now late ' 'now '
both jobs 's "setsid sleep 4321 >/dev/null 2>&1 </dev/null & sleep 0.1"'
is wanted_job_of_its_own_stays_plain "$(pgrep -u plain -xf 'sleep 4321' | wc -l)" 1
is wanted_job_of_its_own_ends "$(pgrep -u build -xf 'sleep 4321' | wc -l)" 0
pkill -u plain -xf 'sleep 4321'

wanted+=('client goes away')
for form in f s; do
	both client "$form 'sleep 4322' & client=\$!; until pgrep -u \$to -xf 'sleep 4322' >/dev/null; do sleep 0.05; done; pkill -9 -P \$client; kill -9 \$client 2>/dev/null; exit 0"
	if within=5 wait_for eval '! pgrep -u build -f "sleep 4322" >/dev/null'; then ok "wanted_killed_client_$form"; else not_ok "wanted_killed_client_$form"; fi
	is "wanted_killed_client_${form}_plain" "$(pgrep -u plain -xf 'sleep 4322' | wc -l)" 1
	pkill -u plain -xf 'sleep 4322'
done

wanted+=('environment')
names_of='cut -d= -f1 | grep -vx "_\|SHLVL\|OLDPWD" | sort | tr "\n" " "'
both environment "CANARY=1 LC_TIME=C f -o SendEnv='CANARY LC_TIME' env | $names_of; TERM=vt100 CANARY=1 f -o SendEnv=CANARY -tt env </dev/null | tr -d '\r' | $names_of"
words() { tr ' ' '\n' <"$1" | sort -u | grep .; }
is wanted_environment_less "$(comm -23 <(words plain.out) <(words build.out) | tr '\n' ' ')" \
	'CANARY DBUS_SESSION_BUS_ADDRESS LC_TIME MOTD_SHOWN SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_USER_AUTH XDG_RUNTIME_DIR XDG_SESSION_CLASS XDG_SESSION_ID XDG_SESSION_TYPE '
is wanted_environment_more "$(comm -13 <(words plain.out) <(words build.out) | tr '\n' ' ')" 'LANG LC_ALL STOCKADE_SESSION TMPDIR '
differs path 's "echo \$PATH"' '/usr/local/bin:/usr/bin:/bin:/usr/games ' '/usr/local/bin:/usr/bin:/bin '

wanted+=('start in the workspace')
differs cwd 's "pwd; echo \$HOME"' '/home/plain /home/plain ' '/srv/work/build /home/build '

wanted+=('Message of the day')
gateway=/usr/bin/stockade-gateway
for to in build plain; do
	for file in .bashrc .profile; do echo "echo startup-$file" >/home/$to/$file.new && mv /home/$to/$file /home/$to/$file.old && mv /home/$to/$file.new /home/$to/$file; done
done
echo the-motd >/etc/motd
usermod -s $gateway build
usermod -s /bin/bash plain
differs startup 'f "echo command"' 'startup-.bashrc command ' 'command '
terminal_text() { printf '> stty -echo; echo over\\r\n< over\r\n> exit\\r\n' | drive 24 80 ssh "${options[@]}" "$1@127.0.0.1" 2>&1; }
has wanted_login_messages_plain "$(terminal_text plain)" '*the-motd*startup-.profile*'
text=$(terminal_text build)
case $text in *the-motd* | *startup-*) not_ok "wanted_login_messages: $text" ;; *over*) ok wanted_login_messages ;; *) not_ok "wanted_login_messages: $text" ;; esac
usermod -s /bin/bash build
usermod -s /bin/sh plain
: >/etc/motd
for to in build plain; do
	for file in .bashrc .profile; do mv /home/$to/$file.old /home/$to/$file; done
done

wanted+=("profile's shell")
usermod -s /bin/bash plain
differs shell 'f "echo \$0; no-such-program" 2>&1' 'bash bash: line 1: no-such-program: command not found ' '/bin/sh /bin/sh: 1: no-such-program: not found '
usermod -s /bin/sh plain

wanted+=('/dev/console')
differs tty 'f -tt "tty; test -c \$(tty) && echo x >\$(tty)" </dev/null' '/dev/pts/* x? ' '/dev/console? x? '

wanted+=('the fence')
differs fence 's "touch /dev/shm/x /srv/work/\$(id -un)/x && chmod u+s /srv/work/\$(id -un)/x; echo \$?; ls /home; rm -f /dev/shm/x /srv/work/\$(id -un)/x; touch /run/user/\$(id -u)/x; echo \$?" 2>/dev/null' \
	'0 build client plain 0 ' '1 build 1 '
differs processes 's "kill -0 $PPID 2>/dev/null; ls -d /proc/[0-9]* | wc -l" | sed "s/^[1-9][0-9]\$/many/"' 'many ' '? '
differs network 's "perl -MIO::Socket::INET -e \"print IO::Socket::INET->new(q(127.0.0.1:22)) ? 1 : 0\""' 1 0

wanted+=('Forwarding')
differs forwarding 'f -W 127.0.0.1:22 </dev/null 2>/dev/null | head -c 4' 'SSH-' ''

wanted+=('Resource limits')
differs limits 's "ulimit -Hn; ulimit -Hc"' '*unlimited ' '4096 0 '

mapfile -t listed < <(sed -n '/^\.Sh DIFFERENCES FROM PLAIN SSHD/,/^\.El/p' /usr/share/man/man8/stockade-gateway.8 |
	awk '/^\.It/ { if (n++) print text; text = "" ; next } /^\.(Sh|Bl)/ { next } /^\.El/ { print text; next } { text = text " " $0 }')
is man_page_lists_as_many_differences "${#listed[@]}" "${#wanted[@]}"
for i in "${!wanted[@]}"; do has "man_page_difference_$((i + 1))" "${listed[i]:-}" "*${wanted[i]}*"; done

for to in build plain; do
	client bash -c "to=$to; . ./actions; s 'rm -rf tr'; ssh \$options -S $there/$to.master -O exit $to@127.0.0.1 2>/dev/null"
done
usermod -s /bin/bash plain
leaves_nothing nothing_is_left 'no process looks like this'
cd / && rm -rf "$there"
totals transparency

# SPDX-License-Identifier: ISC
# The main job through a real sshd with a real client. Runs as root in a bed, after setup.sh.
# shellcheck shell=bash
default_profile

# --- a C project, whose files are the account's on the host
rm -rf "${work:?}"/* && install -d -o build -g build $work/proj
printf 'int answer(void);\nint main(void) { return answer() - 42; }\n' >$work/proj/main.c
printf 'int answer(void) { return 42; }\n' >$work/proj/answer.c
printf 'app: main.o answer.o\n\t$(CC) -o $@ $^\n' >$work/proj/Makefile
chown -R build:build $work/proj
mark
succeeds builds_a_c_project b make -C proj
is leaves_the_files_as_the_accounts "$(stat -c %U:%G $work/proj/app)" build:build
has logs_the_start "$(records start)" "start session=* user=build actor=- * from=127.0.0.1:* kind=exec profile=build.ini rule=- grade=* cmd=\"make -C proj\""
has logs_the_end "$(records end)" "end session=* user=build actor=- by=payload exit=0 signal=- secs=* cpu=*"
is names_both_records_alike "$(records start | grep -o 'session=[^ ]*')" "$(records end | grep -o 'session=[^ ]*')"

# --- statuses and streams
for code in 0 1 2 42 125 126 127 128 129 137 143 255; do
	is "passes_status_$code" "$(status b "exit $code")" "$code"
done
is says_127_for_an_absent_program "$(status b no-such-program)" 127
is says_126_for_what_cannot_be_executed "$(status b /etc/passwd)" 126
head -c 67108864 /dev/urandom >/tmp/blob
is passes_64_mib_in_and_out "$(b cat </tmp/blob | sha256sum)" "$(sha256sum </tmp/blob)"
is keeps_streams_apart "$(b 'echo out; echo err >&2' 2>/dev/null)" out
is runs_a_script_from_standard_input "$(printf 'cd /tmp\necho $PWD-$((6*7))\n' | b -T)" /tmp-42

# --- writes fail where the account itself could write outside
install -d -m 1777 /srv/shared
uid=$(id -u build)
for place in /tmp /var/tmp /dev/shm /home/plain /run/user/$(id -u plain) /srv/shared; do
	succeeds "control_plain_account_writes_$place" p "touch $place/control-$$"
done
for place in /tmp /var/tmp /dev/shm /home/build /run/user/$uid /srv/shared; do
	b "echo x >$place/fence-$$" >/dev/null 2>&1
	fails "writes_nothing_to_the_hosts_$place" test -e "$place/fence-$$"
done
rm -f /tmp/control-$$ /var/tmp/control-$$ /dev/shm/control-$$ /srv/shared/control-$$
for place in / /etc /dev /home /usr /run /srv /sys/x; do
	has "answers_erofs_in_$place" "$(b "LC_ALL=C touch ${place%/x}/x" 2>&1)" '*Read-only file system*'
done
succeeds writes_in_private_places b 'touch /tmp/a /var/tmp/a /dev/shm/a ~/a a'
is shows_no_mount_of_more_than_25 "$(($(b 'wc -l </proc/self/mountinfo') <= 25))" 1

# --- what does not come in
is gives_pid_1_no_environment "$(b 'wc -c </proc/1/environ; cat /proc/1/comm' | tr '\n' ' ')" '0 bwrap '
case $(b "tr '\0' ' ' </proc/1/cmdline") in
	*/srv/* | */var/lib*) not_ok gives_pid_1_no_host_path ;;
	*) ok gives_pid_1_no_host_path ;;
esac
has control_canary_reaches_a_plain_account "$(CANARY=1 p -o SendEnv=CANARY env)" '*CANARY=1*'
is keeps_the_canary_out "$(CANARY=1 b -o SendEnv=CANARY 'env; cat /proc/*/environ' 2>/dev/null | grep -ac CANARY)" 0
is has_exactly_the_promised_environment "$(b 'env | cut -d= -f1 | sort | tr "\n" " "')" \
	'HOME LANG LC_ALL LOGNAME PATH PWD SHELL STOCKADE_SESSION TMPDIR USER '
is has_descriptors_0_1_2_only "$(b 'ls /proc/self/fd | tr "\n" " "')" '0 1 2 3 '
is keeps_a_parents_descriptor_out "$(runuser -u build -- bash -c 'exec 9</etc/hostname; exec /usr/bin/stockade-gateway -c "ls /proc/self/fd"' | tr '\n' ' ')" '0 1 2 3 '
has control_descriptor_9_is_inherited_without "$(runuser -u build -- bash -c 'exec 9</etc/hostname; ls /proc/self/fd' | tr '\n' ' ')" '* 9 *'
is sees_its_scope_as_the_cgroup_root "$(b 'grep ^0:: /proc/self/cgroup')" 0::/
is sees_only_its_own_processes "$(b 'ls /proc | grep -c "^[0-9]*$"')" 4
succeeds has_names_for_its_ids b 'test $(whoami) = build && test $(id -gn) = build'
is finds_no_socket_of_the_host "$(b 'find / -xdev -type s 2>/dev/null; find /run /var /tmp /dev -type s 2>/dev/null' | wc -l)" 0

# --- the clients
cd /home/client || exit 1
rm -rf t && client mkdir t && cd t || exit 1
export GIT_SSH_COMMAND="ssh ${options[*]}"
client cp -r $work/proj from
succeeds rsync_sends client rsync -a -e "ssh ${options[*]}" from/ build@127.0.0.1:rs/
succeeds rsync_fetches client rsync -a -e "ssh ${options[*]}" build@127.0.0.1:rs/ back/
succeeds rsync_kept_it_all diff -r from back
client git init -q g
client sh -c 'cd g && git config user.email a@example.org && git config user.name a && echo hi >a && git add a && git commit -qm a'
succeeds git_makes_a_repository b git init -q --bare -b main r.git
succeeds git_pushes client git -C g push -q build@127.0.0.1:r.git HEAD:main
succeeds git_clones client git clone -q build@127.0.0.1:$work/r.git gc
succeeds git_kept_it cmp g/a gc/a
client sh -c 'head -c 300000 /dev/urandom >bin'
succeeds scp_sends client scp -q "${options[@]}" bin build@127.0.0.1:bin1
succeeds scp_fetches client scp -q "${options[@]}" build@127.0.0.1:bin1 bin1
succeeds scp_old_protocol_sends client scp -q -O "${options[@]}" bin build@127.0.0.1:bin2
succeeds scp_old_protocol_fetches client scp -q -O "${options[@]}" build@127.0.0.1:bin2 bin2
printf 'put bin bin3\nget bin3 bin3\n' >batch
succeeds sftp_works_both_ways client sftp -q -b batch "${options[@]}" build@127.0.0.1
succeeds all_three_copies_are_exact sh -c 'cmp bin bin1 && cmp bin bin2 && cmp bin bin3'
printf 'put bin /etc/x\n' >batch
fails sftp_stays_in_the_fence client sftp -q -b batch "${options[@]}" build@127.0.0.1
sed -i 's|^Subsystem.*|Subsystem sftp internal-sftp|' /etc/ssh/sshd_config.d/*.conf /etc/ssh/sshd_config && reload_sshd
printf 'get bin3 bin4\nput bin bin5\n' >batch
mark
succeeds internal_sftp_is_served_inside client sftp -q -b batch "${options[@]}" build@127.0.0.1
has internal_sftp_went_through_the_gateway "$(records start)" '*kind=sftp*'
sed -i 's|^Subsystem.*|Subsystem sftp /usr/lib/openssh/sftp-server|' /etc/ssh/sshd_config.d/*.conf /etc/ssh/sshd_config && reload_sshd
cd /

# --- every byte of a command arrives, is expanded inside only, and does not reach the user manager's journal
# (NUL cannot be in a command, and the quote that the words stand in is left out.)
all=$(for ((i = 1; i < 256; i++)); do [ $i -eq 39 ] || printf '\\x%02x' $i; done)
is passes_each_byte_of_a_command "$(b "$(printf "printf %%s '%b'" "$all")" | od -An -v -tx1 | tr -d ' \n')" \
	"$(printf '%b' "$all" | od -An -v -tx1 | tr -d ' \n')"
is expands_inside_only "$(b 'echo $HOME ${PWD} $$' | sed 's/ [0-9]*$//')" "/home/build $work"
b "echo uniq-canary-$$ \$HOME \${X} $(printf '\xe9')" >/dev/null
journalctl --sync
is leaves_no_command_in_the_managers_journal "$(journalctl -q -o cat | grep -av '^start session' | grep -ac "uniq-canary-$$")" 0

# --- forms of invocation
gateway=/usr/bin/stockade-gateway
u() { runuser -u build -- "$@"; }
is login_shell_form_runs_the_text "$(u $gateway -c 'echo $((40+2))')" 42
is forced_line_takes_the_original_command "$(SSH_ORIGINAL_COMMAND='echo forced' u $gateway -c "exec $gateway")" forced
mark
b "exec $gateway --as bob" >/dev/null 2>&1
has typed_form_is_plain_text "$(records start)" '*actor=- *'
is refuses_unknown_arguments "$(u $gateway --evil x >/dev/null 2>&1; echo $?)" 126
is refuses_root "$($gateway -c true >/dev/null 2>&1; echo $?)" 126
is is_installed_without_setuid "$(stat -c %a $gateway)" 755
succeeds prints_nothing_to_standard_output_on_refusal test -z "$(u $gateway --evil x 2>/dev/null)"
usermod -s $gateway build
is both_forms_at_once "$(b 'echo both')" both
is su_passes_through_the_gateway "$(su - build -c 'cat /run/stockade | wc -c' </dev/null)" 9
mark
# login(1) hangs its terminal up and opens it again: between the two the other side sees an error, which is no end.
cat >/tmp/console.py <<'PY'
import os, pty, time
pid, master = pty.fork()
if pid == 0:
    os.execvp("login", ["login", "-f", "build"])
seen, typed, until = b"", 0, time.time() + 60
steps = [(b"$ ", b"echo at $(wc -c </run/stockade)\r"), (b"at 9", b"exit\r")]
while time.time() < until and os.waitpid(pid, os.WNOHANG)[0] == 0:
    try:
        seen += os.read(master, 4096)
    except OSError:
        time.sleep(0.05)
    if typed < len(steps) and steps[typed][0] in seen:
        os.write(master, steps[typed][1])
        typed += 1
print(seen.decode(errors="replace"))
PY
has a_console_login_passes_through_it "$(timeout 90 python3 /tmp/console.py)" '*at 9*'
has which_come_from_nowhere "$(records start)" '*from=- *'
usermod -s /bin/bash build

if grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null; then
	printf '[workspace]\npath = %s\n[cgroup]\nmemory_max = 100M\ntasks_max = 50\ncpus = 1.5\n' $work | profile
	is shows_the_profiles_memory_inside "$(b cat /sys/fs/cgroup/memory.max)" 104857600
	is shows_the_profiles_tasks_inside "$(b cat /sys/fs/cgroup/pids.max)" 50
	is shows_the_profiles_cpus_inside "$(b cat /sys/fs/cgroup/cpu.max)" '150000 100000'
	mark
	b true
	has is_graded_full_with_limits "$(records start)" '*grade=full lacks=- *'
	default_profile
fi
rm -f /tmp/blob
totals main

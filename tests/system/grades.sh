# SPDX-License-Identifier: ISC
# The grade of a host that lacks a part of the fence, and what holds there all the same. Runs as root in a
# bed, after setup.sh; EXPECT_LACKS is what lacks= must say of this bed.
# shellcheck shell=bash
printf '[profile]\nmin_grade = partial\n[workspace]\npath = %s\n[cgroup]\nenforce = best-effort\n' $work | profile
mark
is runs_at_partial "$(b 'echo ran' 2>/dev/null)" ran
has names_what_is_missing "$(records start)" "start * grade=partial lacks=$EXPECT_LACKS *"
is says_nothing_of_its_own "$(b true 2>&1)" ''
has check_runs_at_partial_too "$(stockade check build | grep -m 1 ' real-run: ')" "*grade=partial lacks=$EXPECT_LACKS status=0*"
# G1-G8 hold at every grade.
for place in / /etc /dev /home /usr; do
	has "answers_erofs_in_$place" "$(b "touch $place/x" 2>&1)" '*Read-only file system*'
done
for place in /tmp /var/tmp /dev/shm /home/build /run/user/1000; do
	b "echo x >$place/fence-$$" >/dev/null 2>&1
	fails "writes_nothing_to_the_hosts_$place" test -e "$place/fence-$$"
done
is has_no_host_network "$(b 'ls /sys/class/net 2>/dev/null; grep -c : /proc/net/dev')" 1
is has_descriptors_0_1_2_only "$(b 'ls /proc/self/fd | tr "\n" " "' 2>/dev/null)" '0 1 2 3 '
is has_no_capabilities "$(b 'grep CapBnd /proc/self/status | tr -d "\t "')" 'CapBnd:0000000000000000'
is has_no_new_privileges "$(b 'grep NoNewPrivs /proc/self/status | tr -d "\t "')" 'NoNewPrivs:1'
is has_a_filter "$(b 'grep Seccomp: /proc/self/status | tr -d "\t "')" 'Seccomp:2'
fails makes_no_user_namespace b unshare -U true
succeeds can_write_to_dev_null b 'echo x >/dev/null'
fails finds_no_bus b 'ls /run/user/1000/bus || ls /run/dbus/system_bus_socket'
is keeps_the_canary_out "$(CANARY=1 b -o SendEnv=CANARY 'env | grep -c CANARY')" 0
is passes_a_status "$(status b 'exit 42')" 42
is passes_a_signal "$(status b 'kill -TERM $$')" 143
# A command that double-forks and ignores signals is ended whole.
b 'trap "" TERM HUP; (trap "" TERM HUP; setsid sleep 4242 &) ; sleep 1' >/dev/null 2>&1 </dev/null
fails leaves_no_orphan pgrep -f 'sleep 4242'
printf '[workspace]\npath = %s\n[time]\ngrace = 1s\n' $work | profile
mark
rm -f $work/ran
out=$(b "touch $work/ran" 2>&1)
is refuses_below_full:_status $? 126
has refuses_below_full:_sentence "$out" '*stockade: this host cannot confine*'
has refuses_below_full:_record "$(records refuse)" "*reason=grade*"
fails refuses_below_full:_nothing_ran test -e $work/ran
default_profile
# --- what more such a host has to mind: the kernel is everyone's, so a setting of it is covered
case $EXPECT_LACKS in
*pidns*)
	for scope in 1 0; do
		mkdir -p /root/kernel/yama && echo $scope >/root/kernel/yama/ptrace_scope
		cp -r /proc/sys/kernel/{osrelease,pid_max,cap_last_cap,overflow*} /root/kernel/ 2>/dev/null
		mount --bind /root/kernel /proc/sys/kernel
		found=$(stockade check build | grep '^warning *kernel-ptrace build: ')
		[ $scope = 1 ] && is "tracing_is_kept_within_a_family" "$found" ''
		[ $scope = 0 ] && has "tracing_counts_without_pid_namespaces" "$found" '*; cure: *'
		bash -c "${found##*; cure: }" >/dev/null
		is "tracing_is_cured_$scope" "$(stockade check build | grep -c ' kernel-ptrace ')" 0
		umount /proc/sys/kernel
	done
	rm -rf /root/kernel /etc/sysctl.d/60-stockade.conf
	;;
esac
totals grades

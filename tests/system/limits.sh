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
mark
has refuses_forks_over_the_limit "$(b 'for i in $(seq 1 80); do sleep 2 & done; wait' 2>&1)" '*fork*'
has counts_the_forks "$(records end)" '*pids_max=[1-9]*'
default_profile
succeeds works_afterwards b true
totals limits

# SPDX-License-Identifier: ISC
# The bounds of a run: wall clock, idle terminal, output, disk. Runs as root in a bed, after setup.sh.
# shellcheck shell=bash
with() { { cat /etc/stockade/build.default && printf '%s\n' "$@"; } | profile; }

with '[time]' 'timeout = 1s' 'grace = 1s'
mark
out=$(b 'trap "echo told; exit 9" TERM; sleep 100 & wait' 2>&1)
is timeout:_status $? 124
has timeout:_lets_the_trap_run "$out" '*told*'
has timeout:_says_which_and_how_much "$out" '*stockade: the command was ended: it ran for 1 seconds*'
has timeout:_record "$(records end)" '* by=timeout exit=124 *'
mark
out=$(b 'trap "" TERM HUP; setsid sh -c "trap \"\" TERM HUP; sleep 4243" & sleep 100' 2>&1)
is timeout_ignored:_status $? 124
fails timeout_ignored:_leaves_nothing pgrep -f 'sleep 4243'

with '[time]' 'idle = 1s' 'grace = 1s'
mark
out=$(b -tt 'sleep 100' 2>&1 </dev/null)
has idle:_says_which_and_how_much "$out" '*nothing was typed or shown for 1 seconds*'
has idle:_record "$(records end)" '* by=idle exit=124 *'
is idle:_does_not_hold_without_a_terminal "$(status b 'sleep 2')" 0

with '[output]' 'max = 100K'
mark
out=$(b 'head -c 50000 /dev/zero; head -c 50000 /dev/zero >&2; exit 3' 2>/dev/null | wc -c)
is output:_carries_what_is_allowed "$out" 50000
has output:_keeps_the_status "$(records end)" '* by=payload exit=3 *'
mark
is output:_status "$(status b 'yes')" 124
is output:_passes_not_a_byte_more "$(b yes 2>/dev/null | wc -c)" 102400
is output:_also_of_a_command_that_is_soon_over "$(b 'head -c 110000 /dev/zero' 2>/dev/null | wc -c)" 102400
is output:_which_ends_by_it_too "$(status b 'head -c 110000 /dev/zero')" 124
has output:_record "$(records end)" '* by=output exit=124 *'
mark
out=$(b 'yes >&2' 2>&1 >/dev/null | tail -n 1)
has output:_counts_standard_error_too "$out" '*stockade: the command was ended: it printed more than the 102400 bytes*'
blob() { b 'head -c 90000 /dev/urandom | tee blob' | sha256sum; }
is output:_is_byte_exact "$(blob)" "$(sha256sum <$work/blob)"

mount -t tmpfs -o size=10m,mode=755 small /var/lib/stockade/tmp
install -d -m 700 -o build -g build /var/lib/stockade/tmp/build
with '[time]' 'grace = 1s'
mark
b 'sleep 100' >/tmp/disk.out 2>&1 </dev/null &
running=$!
wait_for eval 'records start | grep -q sleep'
head -c 10300000 /dev/zero >/var/lib/stockade/tmp/fill
wait $running
is disk:_ends_what_runs $? 124
has disk:_says_why "$(cat /tmp/disk.out)" '*the disk of /tmp is nearly full*'
has disk:_record "$(records end)" '* by=disk exit=124 *'
mark
out=$(b true 2>&1)
is disk:_refused $? 126
has disk:_sentence "$out" '*stockade: the disk is nearly full*'
has disk:_refusal "$(records refuse)" '* reason=disk * detail=*MiB are free*'
umount /var/lib/stockade/tmp

{ printf '[profile]\nmin_grade = partial\n[workspace]\npath = %s\n[cgroup]\nenforce = best-effort\ncpus = 1\n' $work; } | profile
is cpus:_sizes_what_nproc_sees "$(b nproc)" 1
default_profile
mark
b 'for i in 1 2; do timeout 2 sh -c "while :; do :; done" & done; wait' >/dev/null 2>&1 </dev/null
succeeds cpu:_of_children_is_counted eval 'records end | awk "{ for (i = 1; i <= NF; i++) { split(\$i, w, \"=\"); v[w[1]] = w[2] } exit !(v[\"cpu\"] > 0.5) }"'
succeeds works_afterwards b true
totals ends

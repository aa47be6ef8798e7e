# SPDX-License-Identifier: ISC
# What reboot-before.sh left is gone after the next login, and told. Runs as root in the same vm, after its reboot.
# shellcheck shell=bash
base=/var/lib/stockade/tmp/build
fails is_another_boot grep -qxf /root/reboot-id /proc/sys/kernel/random/boot_id
is was_left_by_the_reboot "$(find $base -mindepth 1 -maxdepth 1 ! -name runs | wc -l)/$(find $base/runs -type f | wc -l)" 2/2
mark
succeeds the_next_login_works b true
# The login's own directory goes with its connection.
within=30 succeeds nothing_is_left wait_for eval '[ -z "$(find '$base' -mindepth 1 ! -name runs)" ]'
is no_record_of_a_connection_is_left "$(find /run/stockade -type f | wc -l)" 0
is each_lost_run_has_its_end "$(records end | grep by=lost | grep -o 'session=[a-z0-9]*' | cut -d= -f2 | sort | tr '\n' ' ')" "$(tr '\n' ' ' </root/reboot-runs)"
totals reboot-after

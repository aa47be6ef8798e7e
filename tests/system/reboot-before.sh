# SPDX-License-Identifier: ISC
# A machine in the middle of things, for reboot-after.sh: two connections with private directories, one of them in
# memory, and running commands. Runs as root in a vm, after setup.sh.
# shellcheck shell=bash
grep -q pam_stockade /etc/pam.d/sshd || printf 'account required pam_stockade.so\nsession required pam_stockade.so\n' >>/etc/pam.d/sshd
base=/var/lib/stockade/tmp/build
default_profile
open() { # NAME
	setsid runuser -u client -- ssh "${options[@]}" -M -S "/tmp/cm-$1" -o ControlPersist=600 -N -f build@127.0.0.1 </dev/null >/dev/null 2>&1
	setsid runuser -u client -- ssh "${options[@]}" -S "/tmp/cm-$1" build@127.0.0.1 'echo x >/tmp/kept; mkdir /tmp/a; chmod 0 /tmp/a; touch '"up-$1"'; exec sleep 7501' </dev/null >/dev/null 2>&1 &
	succeeds "runs_$1" wait_for test -e "$work/up-$1"
}
open disk
{ cat /etc/stockade/build.default && printf '[tmp]\nbacking = memory\nsize = 8M\n'; } | profile
open memory
default_profile
is has_two_directories "$(find $base -mindepth 1 -maxdepth 1 ! -name runs | wc -l)" 2
is has_two_places "$(find $base/runs -type f | wc -l)" 2
succeeds has_a_mount grep -q " $base/" /proc/mounts
rm -f "$work"/up-*
find $base/runs -type f -printf '%f\n' | sed 's/[.].*//' | sort >/root/reboot-runs
cat /proc/sys/kernel/random/boot_id >/root/reboot-id
sync
totals reboot-before

# SPDX-License-Identifier: ISC
# Makes the bed's account build a confined one, as README says. Runs as root in a bed.
# shellcheck shell=bash
set -eu
install -d -m 700 -o build -g build /var/lib/stockade/tmp/build
mkdir -p /etc/stockade/profiles
cp /etc/stockade/stockade.ini /root/stockade.ini
cgroup=/sys/fs/cgroup
if grep -qw memory $cgroup/cgroup.controllers 2>/dev/null; then
	limits='' grade=full
else
	limits=$'[cgroup]\nenforce = best-effort' grade=partial
fi
printf '[profile]\nmin_grade = %s\n[workspace]\npath = /srv/work/build\n%s\n' "$grade" "$limits" >/etc/stockade/build.default
cp /etc/stockade/build.default /etc/stockade/profiles/build.ini
cat >/etc/ssh/sshd_config.d/stockade.conf <<-CONFIG
	Match User build
	    ForceCommand exec /usr/bin/stockade-gateway
	    DisableForwarding yes
	    PermitUserRC no
CONFIG
systemctl reload ssh
# sshd starts itself anew: until it listens again a connection may be reset.
until runuser -u client -- ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \
	plain@127.0.0.1 true </dev/null; do
	sleep 0.3
done

# SPDX-License-Identifier: ISC
# One command makes a confined account; twice does no harm; a failure takes everything back. Runs as root in a bed.
# shellcheck shell=bash
grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null ||
	printf '[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n' >/etc/stockade/stockade.ini
client ssh-keygen -q -t ed25519 -N '' -f /home/client/newkey <<<y >/dev/null
install -m 644 /home/client/newkey.pub /root/newkey.pub
n() { client ssh "${options[@]}" -o IdentitiesOnly=yes -i /home/client/newkey newb@127.0.0.1 "$@"; }
everything() { find /etc /var/lib/stockade /srv -xdev -type f ! -name 'subuid*' ! -name 'subgid*' ! -name '*-' -exec sha256sum {} + 2>/dev/null | sort -k 2; }
userdel -r newb 2>/dev/null
before=$(everything)
dry=$(stockade enroll newb --workspace /srv/work/newb --key /root/newkey.pub --as alice --dry-run)
has dry_run_tells "$dry" '*would: *useradd*would: *'
is dry_run_changes_nothing "$(everything)" "$before"
succeeds enroll stockade enroll newb --workspace /srv/work/newb --key /root/newkey.pub --as alice
wait_for 30 n true
cat >/srv/work/newb/Makefile <<'E'
all: ; @echo built as $$(whoami) > out; cat out
E
is the_new_account_makes "$(n make)" 'built as newb'
is its_files_are_its_own "$(stat -c %U /srv/work/newb/out)" newb
mark
n true
has its_actor_is_known "$(records start)" '* user=newb actor=alice *'
is twice_does_no_harm "$(stockade enroll newb --workspace /srv/work/newb --key /root/newkey.pub --as alice | grep -vE 'keep|sshd -t|reload')" ''
succeeds still_makes n make
is forwarding_is_off "$(n -o ExitOnForwardFailure=yes -W 127.0.0.1:22 2>&1 </dev/null | grep -c 'SSH-2')" 0
client ssh-keygen -q -t ed25519 -N '' -f /home/client/otherkey <<<y >/dev/null
install -d -m 700 -o newb /home/newb/.ssh && install -m 600 -o newb /home/client/otherkey.pub /home/newb/.ssh/authorized_keys
fails an_added_key_in_its_home_does_not_count client ssh "${options[@]}" -o IdentitiesOnly=yes -i /home/client/otherkey newb@127.0.0.1 true
succeeds unenroll stockade unenroll newb
fails unenrolled_cannot_log_in n true
succeeds files_stay test -e /srv/work/newb/out
succeeds unenroll_twice stockade unenroll newb
wait_for 40 eval 'userdel -r newb 2>/dev/null || ! id newb >/dev/null 2>&1'
rm -rf /srv/work/newb /var/lib/stockade/tmp/newb
# --- a failure in the middle
before=$(everything)
mv /usr/sbin/usermod /usr/sbin/usermod.away
fails a_failing_step_fails stockade enroll newb --workspace /srv/work/newb --key /root/newkey.pub --as alice
mv /usr/sbin/usermod.away /usr/sbin/usermod
is a_failure_takes_everything_back "$(everything | sed 's/.*  //')" "$(echo "$before" | sed 's/.*  //')"
fails and_the_account_too id newb
printf 'Nonsense yes\n' >/etc/ssh/sshd_config.d/99-broken.conf
fails a_broken_sshd_config_is_not_made_worse stockade enroll newb --workspace /srv/work/newb
fails no_drop_in_stays test -e /etc/ssh/sshd_config.d/50-stockade-newb.conf
rm -f /etc/ssh/sshd_config.d/99-broken.conf
for bad in '../x' '-x' 'a b' "$(printf 'a\nb')" 'a;b'; do
	fails "refuses_a_user_${bad@Q}" stockade enroll "$bad" --workspace /srv/work/x
done
fails refuses_root stockade enroll root --workspace /srv/work/root
fails refuses_a_missing_template stockade enroll newb --workspace /srv/work/newb --template none
rm -f /etc/stockade/stockade.ini
totals enroll

# SPDX-License-Identifier: ISC
# One command makes a confined account; twice does no harm; a failure takes everything back. Runs as root in a bed.
# shellcheck shell=bash
grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null ||
	printf '[profile]\nmin_grade = partial\n[cgroup]\nenforce = best-effort\n' | main_settings
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
wait_for n true
cat >/srv/work/newb/Makefile <<'E'
all: ; @echo built as $$(whoami) > out; cat out
E
is the_new_account_makes "$(n make)" 'built as newb'
is its_files_are_its_own "$(stat -c %U /srv/work/newb/out)" newb
mark
n true
has its_actor_is_known "$(records start)" '* user=newb actor=alice *'
is twice_does_no_harm "$(stockade enroll newb --workspace /srv/work/newb --key /root/newkey.pub --as alice | grep -vE 'keep|sshd -t|reload')" ''
# sshd starts itself anew: until it listens again a connection may be refused.
wait_for n true
succeeds still_makes n make
is forwarding_is_off "$(n -o ExitOnForwardFailure=yes -W 127.0.0.1:22 2>&1 </dev/null | grep -c 'SSH-2')" 0
client ssh-keygen -q -t ed25519 -N '' -f /home/client/otherkey <<<y >/dev/null
install -d -m 700 -o newb /home/newb/.ssh && install -m 600 -o newb /home/client/otherkey.pub /home/newb/.ssh/authorized_keys
fails an_added_key_in_its_home_does_not_count client ssh "${options[@]}" -o IdentitiesOnly=yes -i /home/client/otherkey newb@127.0.0.1 true
succeeds unenroll stockade unenroll newb
fails unenrolled_cannot_log_in n true
succeeds files_stay test -e /srv/work/newb/out
succeeds unenroll_twice stockade unenroll newb
remove_account newb
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
for bad in 'alice/../bob' '-x' '--as' 'a]' "$(printf 'a\n[profile]')" "$(printf '\033[2J')"; do
	fails "refuses_an_actor_${bad@Q}" stockade enroll newb --workspace /srv/work/newb --key /root/newkey.pub --as "$bad"
	fails "refuses_a_template_${bad@Q}" stockade enroll newb --workspace /srv/work/newb --template "$bad"
done
fails and_made_nothing id newb

# --- every template makes an account that does what its first line says
tested=''
t() { client ssh "${options[@]}" -o IdentitiesOnly=yes -i /home/client/newkey newb@127.0.0.1 "$@"; }
put() { # FILE: by sftp, in the workspace
	printf 'put newkey.pub %s\nget %s back\n' "$1" "$1" >/home/client/batch
	client sh -c "cd && sftp -q -b batch ${options[*]} -o IdentitiesOnly=yes -i newkey newb@127.0.0.1" >/dev/null 2>&1 </dev/null
}
template() { # NAME
	tested="$tested $1"
	succeeds "template_$1" stockade enroll newb --workspace /srv/work/newb --template "$1" --key /root/newkey.pub
	is "template_$1:_well" "$(stockade check newb | grep -vE ' (host-grade|preset-absent|rule-absent|real-run) ' | head -n 3)" ''
}
gone() {
	stockade unenroll newb >/dev/null
	remove_account newb || not_ok gone
	rm -rf /srv/work/newb /var/lib/stockade/tmp/newb
}
template build
is template_build:_runs "$(t 'echo $((6 * 7))')" 42
succeeds template_build:_sftp put kept
gone
template build-rules
has template_build-rules:_make "$(t make --version)" 'GNU Make*'
is template_build-rules:_git_serves_only "$(status t git init)" 126
has template_build-rules:_tells "$(t gcc x.c 2>&1)" 'stockade: "gcc" is not among this account'"'"'s commands: make, git-upload-pack, git-receive-pack, rsync \[session *'
fails template_build-rules:_no_sftp put kept
is template_build-rules:_no_login "$(status t -T)" 126
gone
template ci-runner
t 'echo x >/tmp/left' </dev/null
is template_ci-runner:_fresh_tmp "$(t 'ls /tmp')" ''
is template_ci-runner:_passes_its_variables "$(stockade explain newb -- true | grep -c "pass = CI 'CI_\*' 'GIT_\*' 'BUILD_\*'")" 1
gone
template readonly
runuser -u newb -- sh -c 'echo data >/srv/work/newb/file'
is template_readonly:_reads "$(t cat file)" data
fails template_readonly:_writes_nothing t 'echo x >file'
fails template_readonly:_puts_nothing put file
is template_readonly:_as_it_was "$(cat /srv/work/newb/file)" data
gone
template sftp-drop
succeeds template_sftp-drop:_sftp put dropped
is template_sftp-drop:_arrived "$(cat /srv/work/newb/dropped)" "$(cat /home/client/newkey.pub)"
has template_sftp-drop:_tells "$(t ls 2>&1)" 'stockade: "ls" is not among this account'"'"'s commands: sftp \[session *'
is template_sftp-drop:_no_login "$(status t -T)" 126
gone
template fetch
has template_fetch:_asks_for_a_network "$(stockade explain newb -- true)" '*\[network\] mode = slirp*\[network\] allow = *:443*'
gone
all=$(cd /usr/share/stockade/templates && echo *.ini | tr ' ' '\n' | sed 's/\.ini$//' | sort)
is every_template_is_tested "$(echo $tested | tr ' ' '\n' | sort)" "$all"
fails refuses_a_missing_template stockade enroll newb --workspace /srv/work/newb --template none
default_main
totals enroll

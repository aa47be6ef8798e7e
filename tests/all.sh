#!/bin/bash
# SPDX-License-Identifier: ISC
# Every test, as root on any Debian 12 or 13: installs what it needs, runs the unit and golden tests, the system
# tests in booted Debian systems, the fuzzers for a minute each, and the mutants. Ends with one line of totals.
# usage: bash tests/all.sh [unit] [bookworm] [trixie] [bookworm-attacks] [trixie-attacks] [vm] [fuzz] [mutants]  (default: all)
# SUITES="NAME..." runs these alone in the containers of bookworm and trixie. STOCKADE_MUST_WORK=1 makes a failure of each skip, as tests/skips has it.
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
parts=${*:-unit bookworm trixie vm bookworm-attacks trixie-attacks fuzz mutants}
passed=0 failed=0 skipped=0
logs=build/logs
bed=tests/bed/bed
mkdir -p $logs

packages() {
	local wanted='gcc make libc6-dev libpam0g-dev libiniparser-dev libseccomp-dev libcmocka-dev libjson-c-dev libmd-dev
		bubblewrap util-linux git mandoc procps'
	case $parts in *bookworm* | *trixie* | *vm* | *mutants*) wanted="$wanted systemd-container mmdebstrap openssh-client" ;; esac
	case $parts in *vm*) wanted="$wanted qemu-system-x86 e2fsprogs" ;; esac
	case $parts in *fuzz*) wanted="$wanted clang libclang-rt-dev" ;; esac
	# shellcheck disable=SC2086
	[ "$(dpkg-query -W -f '${db:Status-Abbrev}\n' $wanted 2>/dev/null | grep -c '^ii')" -eq "$(echo $wanted | wc -w)" ] && return
	apt-get update -qq || return
	# shellcheck disable=SC2086
	DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $wanted >$logs/apt.log 2>&1 || {
		tail -n 20 $logs/apt.log
		return 1
	}
}

# Adds up "NAME: N passed, N failed[, N skipped]" of a log; a run without such a line is a failure.
count() { # NAME STATUS LOG
	local line
	line=$(grep -E '[0-9]+ passed, [0-9]+ failed' "$3" | tail -n 1)
	if [[ $line =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)? ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
		[ "$2" -eq 0 ] || [ "${BASH_REMATCH[2]}" -gt 0 ] || failed=$((failed + 1))
	else
		failed=$((failed + 1))
		line='no totals'
	fi
	printf '%-28s %4ss  %s\n' "$1" "$((SECONDS - began))" "${line#*: }"
	sed -n 's/^count: /    /p' "$3"
	[ "$2" -eq 0 ] || { grep -E '^(not ok|\[  FAILED|.*error)' "$3" || tail -n 20 "$3"; } | head -n 40
}

step() { # NAME CMD...
	local name=$1 began=$SECONDS
	shift
	"$@" >"$logs/$name.log" 2>&1 </dev/null
	count "$name" $? "$logs/$name.log"
}

# A step whose own success is no test, and without which the rest makes no sense.
need() { # NAME CMD...
	local name=$1 began=$SECONDS
	shift
	if "$@" >"$logs/$name.log" 2>&1 </dev/null; then
		printf '%-28s %4ss\n' "$name" "$((SECONDS - began))"
		return 0
	fi
	echo "$name failed:"
	tail -n 40 "$logs/$name.log"
	failed=$((failed + 1))
	return 1
}

# A suite is a script below tests/; what it stands on goes before it.
in_bed() { # BED SUITE
	local script=tests/system/$2.sh between=''
	case $2 in
	transparency | faults) script=tests/$2/run.sh between=tests/faults/lib.sh ;;
	attacks) script=tests/attacks/run.sh ;;
	load) script=tests/faults/load.sh between=tests/faults/lib.sh ;;
	esac
	{
		echo "export STOCKADE_MUST_WORK=${STOCKADE_MUST_WORK:-0} EXPECT_LACKS=${EXPECT_LACKS:-} CONTROLS=${CONTROLS:-yes} PAYLOADS=${PAYLOADS:-}"
		# shellcheck disable=SC2086
		cat tests/system/lib.sh $between "$script"
	} >"$logs/$1-$2.sh"
	[ "$2" != attacks ] || $bed put "$1" tests/attacks /root/attacks || return
	$bed run "$1" "$logs/$1-$2.sh"
}

suites() { # BED SUITE...
	local name=$1 suite
	shift
	need "$name-setup" $bed run "$name" tests/system/setup.sh || return
	for suite; do step "$name-$suite" in_bed "$name" "$suite"; done
}

# Built for a release once in a run, whichever part comes first.
[ -n "${IS_PART:-}" ] || export STAGES=build/stages-$$
staged() { # RELEASE
	local stage=$STAGES/$1
	mkdir -p "$STAGES"
	(flock 9 && { [ -d "$stage" ] || $bed build "$1" "$top" "$stage"; }) 9>"$stage.lock"
}

# RELEASE CMD...: in a container of this part's own.
in_container() {
	local release=$1 name=ci-$parts
	shift
	need "$parts-tree" $bed tree "$release" || return
	need "$parts-build" staged "$release" || return
	need "$parts-up" $bed up "$name" --kind container --release "$release" --stage "$STAGES/$release" || return
	"$@"
	need "$parts-down" $bed down "$name"
}

container() { # RELEASE
	# shellcheck disable=SC2086
	in_container "$1" suites "ci-$parts" ${SUITES:-main refusals fakes ends pam tool enroll network check verdicts transparency faults load} || return
	[ -z "${SUITES:-}" ] || return 0
	degraded "$1" userns,limits grades procsys-ro
	degraded "$1" pidns,limits grades masked-proc no-pam-systemd
	degraded "$1" pidns,userns,limits grades masked-proc procsys-ro
	degraded "$1" limits grades no-system-bus
	degraded "$1" limits grades hidepid
	degraded "$1" limits grades kill-user-processes
}

attacks() { # RELEASE
	# That each attack can succeed is proven once.
	[ "$1" = bookworm ] || export CONTROLS=no
	in_container "$1" suites "ci-$parts" attacks || return
	# What is left at the lowest grade has to hold against the payloads too.
	CONTROLS=no PAYLOADS=only degraded "$1" pidns,userns,limits attacks masked-proc procsys-ro
}

# A host that really lacks something: what lacks= has to say, and the variants of the bed that make it so.
degraded() { # RELEASE LACKS SUITE VARIANT...
	local release=$1 lacks=$2 suite=$3 name=ci-degraded-$parts label variants=() variant
	shift 3
	label=$parts-$(echo "$*" | tr ' ' +)
	for variant; do variants+=(--variant "$variant"); done
	need "$label-up" $bed up "$name" --kind container --release "$release" "${variants[@]}" --stage "$STAGES/$release" || return
	need "$label-setup" $bed run "$name" tests/system/setup.sh && EXPECT_LACKS=$lacks step "$label-$suite" in_bed "$name" "$suite"
	$bed down "$name" >/dev/null 2>&1
}

machine() {
	need vm-tree $bed tree bookworm --vm || return
	need vm-build staged bookworm || return
	need vm-up $bed up ci-vm --kind vm --release bookworm --stage "$STAGES/bookworm" || return
	# The payloads at grade full; that each can succeed is proven elsewhere.
	CONTROLS=no PAYLOADS=only suites ci-vm limits attacks reboot-before
	need vm-reboot $bed reboot ci-vm && step ci-vm-reboot-after in_bed ci-vm reboot-after
	need vm-down $bed down ci-vm
}

[ "$(id -u)" -eq 0 ] || { echo "run this as root" >&2 && exit 1; }
# The beds of these parts only: another release may be at work beside.
trap 'for part in $parts; do $bed down "ci-$part" >/dev/null 2>&1; $bed down "ci-degraded-$part" >/dev/null 2>&1; done; [ -n "${IS_PART:-}" ] || rm -rf "$STAGES"' EXIT
packages || { echo "packages could not be installed" && exit 1; }
# Four parts at once: the long ones first, and the fuzzers, which take what the others leave, as one of the first four.
several() {
	local part line
	for part in bookworm trixie vm fuzz bookworm-attacks mutants trixie-attacks unit; do
		[[ " $parts " == *" $part "* ]] || continue
		[ "$(jobs -pr | wc -l)" -lt 4 ] || wait -n
		IS_PART=1 bash "$0" "$part" >"$logs/$part.out" 2>&1 </dev/null &
	done
	wait
	for part in $parts; do
		sed '$d' "$logs/$part.out"
		line=$(tail -n 1 "$logs/$part.out")
		[[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]] || { echo "$part: no totals" && failed=$((failed + 1)) && continue; }
		passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
	done
	# Once more where it is seen first.
	[ "$failed" -eq 0 ] || for part in $parts; do grep -E '^(not ok|\[  FAILED|.*failed:$|.* no totals$)' "$logs/$part.out" | sed "s/^/$part: /"; done
}

case $parts in
*\ *) several ;;
unit) step unit make -j2 check ;;
bookworm | trixie) container "$parts" ;;
*-attacks) attacks "${parts%-attacks}" ;;
vm) machine ;;
# It takes what the others leave.
fuzz) step fuzz nice -n 19 make fuzz ;;
mutants) step mutants tests/mutants/run bookworm ;;
*) echo "no part $parts" && failed=1 ;;
esac
if [ "${STOCKADE_MUST_WORK:-0}${IS_PART:-}" = 1 ] && [ "$skipped" -ne "$(cat tests/skips)" ]; then
	echo "$skipped were skipped, and tests/skips says $(cat tests/skips)"
	failed=$((failed + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# Names, process records, waiting, cgroups: what both kinds of bed need.

die() {
    echo "bed: $*" >&2
    exit 1
}

need_root() {
    [ "$(id -u)" = 0 ] || die 'beds need root'
}

check_name() {
    [[ $1 =~ ^[a-z0-9][a-z0-9-]{0,30}$ ]] || die "not a name for a bed: '$1' (a-z 0-9 -, at most 31)"
}

check_release() {
    [[ $1 == bookworm || $1 == trixie ]] || die "release: bookworm or trixie, not '$1'"
}

state_dir() { # NAME
    check_name "$1"
    echo "$BED_DIR/run/$1"
}

# --- processes --------------------------------------------------------------
# A record is a file with a pid and its start time: a pid alone may have been
# given to another process since.

start_time() { # PID: fails for a process that has ended
    local stat
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    # shellcheck disable=SC2086
    set -- ${stat##*) }
    [[ $1 != [ZX] ]] && echo "${20}"
}

is_zombie() { # PID
    grep -qs '^State:.Z' "/proc/$1/status"
}

record_self() { # FILE
    local pid=$BASHPID
    echo "$pid $(start_time "$pid")" >"$1.part"
    mv "$1.part" "$1"
}

record_alive() { # FILE: sets pid
    local start
    read -r pid start 2>/dev/null <"$1" && [ "$(start_time "$pid")" = "$start" ]
} 2>/dev/null

record_is_self() { # FILE
    local pid
    record_alive "$1" && [ "$pid" = "$$" ]
}

record_kill() { # SIGNAL FILE
    local pid
    record_alive "$2" && kill -s "$1" "$pid" 2>/dev/null
}

record_end() { # FILE: by force, and wait for it
    local pid
    until_gone 100 record_kill KILL "$1"
}

until_gone() { # TENTHS CMD...: until CMD fails
    local left=$1
    shift
    while "$@"; do
        ((left-- > 0)) || return 1
        sleep 0.1
    done
}

children() { # PID
    cat "/proc/$1/task/$1/children" 2>/dev/null || true
}

# --- waiting ----------------------------------------------------------------

wait_for() { # STEP CMD...: until CMD succeeds; `deadline` and `state` are up's
    local pid
    step=$1
    shift
    until "$@"; do
        ((SECONDS < deadline)) || die "$step: not within $limit seconds"
        [ ! -f "$state/supervisor" ] || record_alive "$state/supervisor" || die "$step: the bed has ended"
        sleep 0.1
    done
}

set_limit() { # SECONDS
    limit=${STOCKADE_BED_LIMIT:-$1}
    deadline=$((SECONDS + limit))
}

# Starts "bed __supervise KIND NAME" away from this shell: own session, no
# descriptor of the caller's, console into a file.
supervise_start() { # KIND
    setsid "$BED_SELF" __supervise "$1" "$name" </dev/null >"$state/console" 2>&1 &
    wait_for 'waiting for the supervisor' test -f "$state/supervisor"
}

supervise() { # KIND NAME
    local fd state
    for fd in /proc/self/fd/*; do
        fd=${fd##*/}
        ((fd <= 2)) || [ "$fd" = 255 ] || eval "exec $fd>&-"
    done
    state=$(state_dir "$2")
    record_self "$state/supervisor"
    "$1_exec" "$2" "$state"
}

# --- cgroups ----------------------------------------------------------------

cgroup_name() { # NAME: two directories of beds may know the same name
    local sum
    sum=$(cksum <<<"$BED_DIR")
    echo "stockade-bed-${sum%% *}-$1"
}

cgroup_mounts() { # prints TYPE OPTIONS MOUNTPOINT
    awk '{ for (i = 7; i < NF; i++) if ($i == "-") break
           if ($(i + 1) ~ /^cgroup2?$/) print $(i + 1), $(i + 3), $5 }' /proc/self/mountinfo
}

# Moves the caller into a cgroup of the bed's own, at the top of the v2 tree
# and of systemd's v1 tree; with "all" below its present one in the other v1
# trees, too.
cgroup_join() { # NAME [all]
    local type options mount own dir
    while read -r type options mount; do
        case $type:$options in
        cgroup2:* | cgroup:*name=systemd*) own=/ ;;
        *)
            [ "${2-}" = all ] || continue
            own=$(v1_path "$options")
            ;;
        esac
        dir=${mount%/}/${own#/}
        dir=${dir%/}/$(cgroup_name "$1")
        mkdir -p "$dir" || return 1
        [ ! -e "$dir/cpuset.cpus" ] || [ "$type" = cgroup2 ] || cgroup_fill_cpuset "$dir"
        echo 0 >"$dir/cgroup.procs" || return 1
    done < <(cgroup_mounts)
}

v1_path() { # MOUNT-OPTIONS
    local controllers path
    while IFS=: read -r _ controllers path; do
        [[ -n $controllers && ",$1," == *",$controllers,"* ]] && echo "$path" && return
    done </proc/self/cgroup
    echo /
}

cgroup_fill_cpuset() { # DIR
    local key
    for key in cpuset.cpus cpuset.mems; do
        cat "${1%/*}/$key" >"$1/$key"
    done
}

cgroup_dirs() { # NAME
    local name
    name=$(cgroup_name "$1")
    cgroup_mounts | while read -r _ _ mount; do
        find "$mount" -type d -name "$name" -prune 2>/dev/null
    done
}

cgroup_kill() { # DIR: cgroup.kill does the whole subtree; v1 has none
    local procs p
    if [ -e "$1/cgroup.kill" ]; then
        echo 1 >"$1/cgroup.kill"
        return
    fi
    procs=$(find "$1" -name cgroup.procs -exec cat {} + 2>/dev/null) || true
    for p in $procs; do kill -KILL "$p" 2>/dev/null || true; done
}

cgroup_rmdir() { # DIR: fails while a process is left in it
    find "$1" -depth -type d -exec rmdir {} \; 2>/dev/null
    [ ! -d "$1" ]
}

cgroup_remove() { # NAME
    local dir left=100
    for dir in $(cgroup_dirs "$1"); do
        until cgroup_rmdir "$dir"; do
            cgroup_kill "$dir"
            ((left-- > 0)) || die "$1: cannot remove $dir"
            sleep 0.05
        done
    done
}

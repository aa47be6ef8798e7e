# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# The container kind: systemd-nspawn over an overlay of the tree.
#
#   supervisor (recorded)  unshare: own pid and mount namespaces; its end,
#                          even by KILL, is the end of all below it
#     └ nspawn             pid 1 of that namespace, in the bed's own cgroup
#       └ leader           the container's systemd
#
# The overlay's upper half is a tmpfs of that mount namespace, so no end of
# the bed leaves a mount or a file behind.

container_start() {
    set_limit 60
    ssh_config "$state" 22
    supervise_start container
    wait_for "waiting for the container's systemd" leader_is_up "$name"
}

container_exec() { # NAME STATE
    exec unshare -fpm --mount-proc --kill-child=KILL "$BED_SELF" __inside "$1"
}

# Runs as pid 1 of the bed's outer namespaces.
inside() { # NAME
    local name=$1 state variants root
    state=$(state_dir "$name")
    read -ra variants <"$state/variants" || true
    cgroup_join "$name" "$(! has_variant v1-cgroups || echo all)"
    overlay_mount "$(<"$state/tree")"
    # nspawn leaves its locks and sockets in /run.
    mount -t tmpfs -o mode=0755 tmpfs /run
    root=$BED_DIR/mnt/root
    payload_unpack "$state/payload.tar" "$root"
    chroot "$root" /usr/local/lib/bed/prepare "$name" ${variants[@]+"${variants[@]}"}
    ! has_variant masked-proc || mask_outer_proc
    cd /
    nspawn_exec "$name" "$root"
}

has_variant() { # V
    [[ " ${variants[*]-} " == *" $1 "* ]]
}

overlay_mount() { # TREE: the same mount point for all, each in its own namespace
    local mnt=$BED_DIR/mnt
    mount -t tmpfs -o mode=0755 tmpfs "$mnt"
    mkdir "$mnt/upper" "$mnt/work" "$mnt/root"
    mount -t overlay -o "lowerdir=$1,upperdir=$mnt/upper,workdir=$mnt/work" overlay "$mnt/root"
}

payload_unpack() { # TAR ROOT
    tar -C "$2" --numeric-owner --keep-directory-symlink --no-overwrite-dir -xpf "$1"
}

# The syscalls named are what a real host lets an account try, and nspawn's
# own filter would hide: without them a test of our filter proves nothing.
nspawn_exec() { # NAME ROOT
    local settings=(PATH="$PATH" SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1)
    local words=(-b systemd.show_status=yes)
    has_variant procsys-ro || settings+=(SYSTEMD_NSPAWN_API_VFS_WRITABLE=yes)
    if has_variant v1-cgroups; then
        settings+=(SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=0)
        words+=(systemd.unified_cgroup_hierarchy=0 SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1)
    fi
    # For private networks, which an account may make on a real host.
    [ ! -c /dev/net/tun ] || words=(--bind=/dev/net/tun "${words[@]}")
    exec env -i "${settings[@]}" systemd-nspawn -q -D "$2" -M "$1" \
        --register=no --keep-unit --private-network --link-journal=no \
        --resolv-conf=off --timezone=off --console=read-only \
        --system-call-filter='@keyring bpf modify_ldt perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register' \
        "${words[@]}"
}

# nspawn moves its root over the old one, whose /proc thus stays in the mount
# namespace, out of reach; the kernel takes it for one that is fully visible.
mask_outer_proc() {
    mount --bind /dev/null /proc/version
}

nspawn_pid() { # NAME
    local pid
    record_alive "$(state_dir "$1")/supervisor" || return 1
    children "$pid" | awk '{ print $1 }' | grep .
}

leader() { # NAME
    local nspawn child
    nspawn=$(nspawn_pid "$1") || return 1
    for child in $(children "$nspawn"); do
        [ "$(cat "/proc/$child/comm" 2>/dev/null)" = systemd ] && echo "$child" && return
    done
    return 1
}

leader_is_up() { # NAME
    leader "$1" >/dev/null
}

# TERM makes nspawn ask its systemd to halt.
container_stop() { # STATE
    local nspawn
    nspawn=$(nspawn_pid "${1##*/}") || return 0
    kill -TERM "$nspawn" 2>/dev/null || return 0
    until_gone 50 record_alive "$1/supervisor" || true
}

# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# The vm kind: qemu with a kernel of its own, hence a pure cgroup v2 machine
# with the memory, pids and cpu controllers. The disk image is only read; what
# the vm writes goes to an unlinked file of qemu's in the bed's directory.

image_build() { # RELEASE PATH
    echo "bed: building the disk image of $1" >&2
    rm -rf --one-file-system -- "$2.part"
    mkdir -p "$2.part" "$BED_DIR/mnt"
    contained "$BED_SELF" __image "$(tree_path "$1" container)" "$2.part" </dev/null >&2
    mv -T "$2.part" "$2"
}

# Runs as pid 1 of namespaces of its own; all of its mounts end with it.
image() { # TREE OUT
    local root=$BED_DIR/mnt/root
    overlay_mount "$1"
    chroot_mounts "$root"
    install -m 0755 "$BED_HOME/guest/setup-vm" "$root/root/setup-vm"
    install -D -m 0755 "$BED_HOME/guest/init" "$root/usr/local/lib/bed/init"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    # shellcheck disable=SC2086
    chroot "$root" env -i PATH="$CHROOT_PATH" /root/setup-vm $VM_PACKAGES
    rm "$root/root/setup-vm" "$root/etc/resolv.conf"
    umount -l "$root/dev" "$root/proc"
    cp -L "$root/vmlinuz" "$2/vmlinuz"
    cp -L "$root/initrd.img" "$2/initrd"
    mke2fs -q -t ext4 -d "$root" "$2/disk" 4G
}

# shellcheck disable=SC2034,SC2154
vm_start() { # name and state are those of cmd_up
    set_limit 240
    step='choosing a port'
    port_pick >"$state/port"
    ssh_config "$state" "$(<"$state/port")"
    supervise_start vm
}

# A port that nobody listens on, no other bed has chosen, and the kernel does
# not give to clients.
port_pick() {
    local port try
    for try in {1..200}; do
        port=$((20000 + (RANDOM + try) % 12000))
        ! grep -qsx "$port" "$BED_DIR"/run/*/port || continue
        ! grep -qi ":$(printf %04X "$port") " /proc/net/tcp /proc/net/tcp6 || continue
        echo "$port"
        return
    done
    die 'no free port'
}

vm_exec() { # NAME STATE
    local tree variants accel=tcg
    tree=$(<"$2/tree")
    variants=$(tr ' ' , <"$2/variants")
    [ ! -w /dev/kvm ] || accel=kvm
    cgroup_join "$1" || true
    # TMPDIR: where snapshot=on keeps what is written.
    exec env -i PATH="$PATH" TMPDIR="$2" qemu-system-x86_64 -accel "$accel" -cpu max -m 2048 -smp 2 \
        -display none -serial stdio -monitor none \
        -kernel "$tree/vmlinuz" -initrd "$tree/initrd" \
        -append "root=/dev/vda rw console=ttyS0 mitigations=off init=/usr/local/lib/bed/init bed.name=$1 bed.variants=$variants$(vm_kernel_words "$variants")" \
        -drive "file=$tree/disk,if=virtio,format=raw,snapshot=on" \
        -drive "file=$2/payload.tar,if=virtio,format=raw,readonly=on" \
        -nic "user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:$(<"$2/port")-:22"
}

vm_kernel_words() { # VARIANTS
    [[ ,$1, != *,v1-cgroups,* ]] ||
        echo ' systemd.unified_cgroup_hierarchy=0 SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1'
}

# The disk is thrown away: pulling the plug is orderly enough.
vm_stop() { # STATE
    record_kill TERM "$1/supervisor" || return 0
    until_gone 50 record_alive "$1/supervisor" || true
}

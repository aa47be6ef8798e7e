# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# Root trees: built once from Debian packages, then only read. A tree's name
# carries a digest of all that went into it, so a change here makes a new one
# and a bed that still runs keeps its own.

TREE_PACKAGES='systemd systemd-sysv dbus dbus-user-session libpam-systemd
    openssh-server openssh-client openssh-sftp-server rsyslog bubblewrap
    make gcc libc6-dev git rsync procps iproute2 util-linux
    libpam0g-dev libseccomp-dev libiniparser-dev libjson-c-dev
    libmd-dev slirp4netns nftables openssl e2fsprogs acl attr file xz-utils socat perl
    expect tmux vim-tiny less gdb python3 pamtester strace'
# udev only where the devices are the bed's own: in a container it would set up
# the build machine's.
VM_PACKAGES='udev linux-image-cloud-amd64 initramfs-tools'

cmd_tree() { # RELEASE [--vm]
    local kind=container
    [ "${2-}" != --vm ] || kind=vm
    (($# >= 1 && $# <= 2)) || usage
    check_release "$1"
    need_root
    mkdir -p "$BED_DIR"
    printf '*\n' >"$BED_DIR/.gitignore"
    tree_ensure "$1" "$kind"
    tree_path "$1" "$kind"
}

# With STATE: notes the path there, under the same lock, so that no other
# "bed tree" takes it for unused.
tree_ensure() { # RELEASE container|vm [STATE]
    local lock path
    tree_check_dir
    mkdir -p "$BED_DIR/trees"
    exec {lock}>"$BED_DIR/trees/lock.$1"
    flock "$lock"
    key_ensure
    path=$(tree_path "$1" container)
    [ -d "$path" ] || tree_build "$1" "$path"
    if [ "$2" = vm ]; then
        path=$(tree_path "$1" vm)
        [ -d "$path" ] || image_build "$1" "$path"
    fi
    [ -z "${3-}" ] || echo "$path" >"$3/tree"
    tree_drop_old "$1"
    exec {lock}>&-
}

tree_check_dir() {
    [[ $BED_DIR =~ ^[A-Za-z0-9/._+-]+$ ]] ||
        die "STOCKADE_BED_DIR: only letters, digits and / . _ + - in it: $BED_DIR"
    [ -z "$(git -C "$BED_TOP" ls-files -- "$BED_DIR" 2>/dev/null)" ] ||
        die "$BED_DIR holds files of the repository"
}

key_ensure() {
    local lock
    exec {lock}>"$BED_DIR/trees/lock.key"
    flock "$lock"
    [ -f "$BED_DIR/key.pub" ] || {
        rm -f "$BED_DIR/key"
        ssh-keygen -q -t ed25519 -N '' -C bed -f "$BED_DIR/key"
    }
    exec {lock}>&-
}

tree_path() { # RELEASE container|vm
    local digest
    digest=$({
        echo "$TREE_PACKAGES $1"
        cat "$BED_HOME/guest/setup" "$BED_DIR/key.pub"
        [ "$2" != vm ] || { echo "$VM_PACKAGES"; cat "$BED_HOME/guest/setup-vm" "$BED_HOME/guest/init"; }
    } | sha256sum)
    echo "$BED_DIR/trees/$1-$2-${digest:0:12}"
}

tree_drop_old() { # RELEASE
    local dir
    for dir in "$BED_DIR/trees/$1"-*; do
        [ "$dir" != "$(tree_path "$1" container)" ] || continue
        [ "$dir" != "$(tree_path "$1" vm)" ] || continue
        grep -qsxF -- "$dir" "$BED_DIR"/run/*/tree || rm -rf --one-file-system -- "$dir"
    done
}

CHROOT_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

chroot_mounts() { # ROOT
    mount --rbind /dev "$1/dev"
    mount -t proc proc "$1/proc"
}

# Dies with this shell, and whatever it mounted with it.
contained() { # CMD...
    setpriv --pdeathsig KILL unshare -fpm --mount-proc --kill-child=KILL "$@"
}

tree_build() { # RELEASE PATH
    local lines
    echo "bed: building the tree of $1" >&2
    rm -rf --one-file-system -- "$2.part"
    mapfile -t lines < <(tree_sources "$1")
    # Its helpers are Debian's python's, and no tree is worth waiting for the disk.
    # shellcheck disable=SC2086
    PATH=$CHROOT_PATH contained mmdebstrap -q --variant=minbase --include="$(echo $TREE_PACKAGES | tr ' ' ,)" --dpkgopt=force-unsafe-io \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        "$1" "$2.part" ${lines[@]+"${lines[@]}"} >&2 </dev/null
    install -m 0755 "$BED_HOME/guest/setup" "$2.part/root/setup"
    contained chroot "$2.part" /root/setup "$(<"$BED_DIR/key.pub")" >&2 </dev/null
    rm "$2.part/root/setup"
    mv -T "$2.part" "$2"
}

# The mirror that this machine's own apt uses; none known: mmdebstrap's default.
tree_sources() { # RELEASE
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(CODENAME) $(REPO_URI) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
        awk -v release="$1" '$3 == "Debian" {
            suffix = ($1 ~ /-security$/) ? "-security" : ($1 ~ /-/) ? "skip" : ""
            if (suffix != "skip" && !seen[suffix]++) print "deb", $2, release suffix, "main"
        }'
}

# --- the product, built for a tree -------------------------------------------

cmd_build() { # RELEASE SRC STAGE [MAKE-WORD]...
    local release=${1-} src=${2-} stage=${3-}
    (($# >= 3)) || usage
    shift 3
    check_release "$release"
    [ -d "$src" ] || die "no such directory: $src"
    need_root
    mkdir -p "$BED_DIR/mnt"
    tree_ensure "$release" container
    rm -rf --one-file-system -- "$stage.part"
    mkdir -p "$stage.part"
    contained "$BED_SELF" __compile "$(tree_path "$release" container)" \
        "$(readlink -f "$src")" "$(readlink -f "$stage.part")" "$@"
    rm -rf --one-file-system -- "$stage"
    mv -T "$stage.part" "$stage"
}

# Runs as pid 1 of namespaces of its own; all of its mounts end with it.
compile() { # TREE SRC STAGE [MAKE-WORD]...
    local root=$BED_DIR/mnt/root src=$2 stage=$3
    mkdir -p "$BED_DIR/mnt"
    # The caller's directories may lie below the mount point's.
    exec {src_fd}<"$src" {stage_fd}<"$stage"
    overlay_mount "$1"
    shift 3
    mkdir "$root/src" "$root/stage"
    chroot_mounts "$root"
    source_list "$src" | tar -C "/proc/self/fd/$src_fd/." --null -T - -cf - | tar -C "$root/src" --no-same-owner -xf -
    chroot "$root" env -i PATH="$CHROOT_PATH" LC_ALL=C.UTF-8 HOME=/root \
        sh -ec 'cd /src; make -j2 all "$@"; make install DESTDIR=/stage "$@"' sh "$@" </dev/null
    tar -C "$root/stage" --numeric-owner -cf - . | tar -C "/proc/self/fd/$stage_fd/." --numeric-owner -xpf -
}

# What git would take: its files and the new ones that are not ignored. A
# directory that is no work tree: all of it.
source_list() { # SRC
    if git -C "$1" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git -C "$1" ls-files -z -co --exclude-standard | while IFS= read -r -d '' file; do
            [ ! -e "$1/$file" ] && [ ! -L "$1/$file" ] || printf '%s\0' "$file"
        done
    else
        find "$1" -mindepth 1 -maxdepth 1 -printf '%P\0'
    fi
}

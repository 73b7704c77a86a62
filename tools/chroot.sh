# SPDX-License-Identifier: Apache-2.0
# Bare Debian systems to try things in: read by tools/check_release and packaging/check_deb, which have set `name` for
# messages. Needs root and debootstrap. Packages come from the archive that apt is configured with here, or from
# $DEBIAN_MIRROR.

fail() {
    echo "$name: $1" >&2
    exit 1
}

leave_chroot() {
    for place in dev/shm dev/pts proc; do
        mountpoint -q "$root/$place" && umount "$root/$place"
    done
    [ "$keep" = yes ] || rm -rf --one-file-system "$root"
}

# enter_chroot SUITE [FOLDER]: makes one, in a temporary folder unless one is named, which is kept then; sets `root`.
enter_chroot() {
    [ "$(id -u)" -eq 0 ] || fail "making a chroot needs root"
    command -v debootstrap >/dev/null || fail "debootstrap is missing (apt-get install debootstrap)"
    mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | head -n 1)}
    [ -n "$mirror" ] || fail "apt has no archive configured; name one in DEBIAN_MIRROR"
    if [ $# -ge 2 ]; then
        root=$2 keep=yes
        mkdir -p "$root"
    else
        root=$(mktemp -d) keep=no
        chmod 755 "$root"
    fi
    trap leave_chroot EXIT
    trap 'exit 1' INT TERM HUP
    [ -x "$root/usr/bin/apt-get" ] || debootstrap --variant=minbase "$1" "$root" "$mirror"
    # How apt reaches the archive from here (proxies, certificates) holds there, too.
    cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
    [ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    mount -t proc proc "$root/proc"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" # for tests at a terminal
    ln -sf pts/ptmx "$root/dev/ptmx"
    mkdir -p "$root/dev/shm"
    mount -t tmpfs tmpfs "$root/dev/shm"
}

# in_chroot COMMAND...: as root; as_user COMMAND...: as an ordinary user, whom `useradd -m user` has made.
in_chroot() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}
as_user() {
    env -i PATH=/usr/bin:/bin HOME=/home/user LANG=C.UTF-8 "$(command -v chroot)" --userspec=user:user "$root" "$@"
}

#!/bin/bash
# What `whyslow tune libc` finds with the C libraries of several systems: docs/libc-matrix.sh FOLDER [RELEASE ...]
#
# Makes a root of each Debian release in FOLDER (and takes it as it is when it is there), builds whyslow in the first of them
# with the toolchain of this host, runs that program in each, and prints a table in Markdown. The first release has to be the
# oldest: a program runs with a C library as new as that it was built with, or newer. The release `musl` builds for musl on this
# host. Needs root, debootstrap, python3, and rustc's target x86_64-unknown-linux-musl with musl-gcc.
set -euo pipefail
folder=$(realpath -m "${1:?usage: docs/libc-matrix.sh FOLDER [RELEASE ...]}")
shift
[ $# -gt 0 ] || set -- bullseye bookworm trixie musl
source=$(cd "$(dirname "$0")/.." && pwd)
toolchain=$(rustc --print sysroot)
registry=${CARGO_HOME:-$HOME/.cargo}/registry
mkdir -p "$folder"
(cd "$source" && cargo fetch --locked --quiet)

# In a mount namespace of its own, so that nothing stays mounted.
inside() {
    local root=$1
    shift
    unshare --mount --propagation private bash -euc '
        root=$1 toolchain=$2 registry=$3 source=$4
        shift 4
        mkdir -p "$root"/toolchain "$root"/cargo/registry "$root"/source "$root"/target
        mount --bind "$toolchain" "$root/toolchain"
        mount --bind "$registry" "$root/cargo/registry"
        mount --bind "$source" "$root/source"
        mount -t proc proc "$root/proc"
        mount --rbind /sys "$root/sys"
        mount --rbind /dev "$root/dev"
        exec chroot "$root" env -i PATH=/toolchain/bin:/usr/bin:/bin:/usr/sbin HOME=/root CARGO_HOME=/cargo \
            CARGO_NET_OFFLINE=true CARGO_TARGET_DIR=/target "$@"
    ' inside "$root" "$toolchain" "$registry" "$source" "$@"
}

built=
for release in "$@"; do
    if [ "$release" = musl ]; then
        # Static, as Rust builds for musl: it has the copies of the library that it brings, and says so.
        (cd "$source" && CC_x86_64_unknown_linux_musl=musl-gcc CARGO_TARGET_DIR="$folder/musl" \
            cargo build --locked --quiet --release --target x86_64-unknown-linux-musl) >&2
        "$folder/musl/x86_64-unknown-linux-musl/release/whyslow" tune libc --format json \
            >"$folder/$release.json" 2>"$folder/$release.err" || true
        continue
    fi
    root=$folder/$release
    if [ ! -e "$root/usr/bin/gcc" ]; then
        debootstrap --variant=minbase --include=gcc,libc6-dev,binutils "$release" "$root" >&2
    fi
    if [ -z "$built" ]; then
        inside "$root" bash -c 'cd /source && cargo build --locked --quiet --release' >&2
        cp "$root/target/release/whyslow" "$folder/whyslow"
        built=yes
    fi
    install -D "$folder/whyslow" "$root/target/release/whyslow"
    inside "$root" /target/release/whyslow tune libc --format json >"$folder/$release.json" 2>"$folder/$release.err" ||
        true
done

python3 - "$folder" "$@" <<'PYTHON'
import json, os, sys

folder, releases = sys.argv[1], sys.argv[2:]
print("| system | library | thresholds used: REP MOVSB, its limit, non-temporal | 16 KiB at distance 0, at 8 [GB/s] | setting | taken | most, least gain | verdict |")
print("|---|---|---|---|---|---|---|---|")
for release in releases:
    try:
        found = json.load(open(os.path.join(folder, release + ".json")))
    except ValueError:
        why = open(os.path.join(folder, release + ".err")).read().strip().splitlines()
        print(f"| {release} | {why[-1] if why else 'no answer'} | | | | | | |")
        continue
    used = found["used"] if isinstance(found["used"], dict) else {}
    names = ["rep_movsb_threshold", "rep_movsb_stop_threshold", "non_temporal_threshold"]
    limits = ", ".join(str(used.get(name, "not said")) for name in names)
    rates = {(r["block_bytes"], r["distance"]): r["now"] for r in found["rates"]}
    near = ", ".join(f"{rates[(16384, d)]:.1f}" for d in (0, 8) if (16384, d) in rates)
    settings = "<br>".join(found["settings"]) or "none"
    wanted = [s.split("=") for s in found["settings"]]
    now = found["taken"] if isinstance(found["taken"], dict) else {}
    took = all(now.get(name.rsplit("x86_", 1)[-1]) == int(value) for name, value in wanted) if wanted else ""
    times = [g["times"] for g in found["gains"] if g["moved"]]
    show = lambda t: f"{t['value']:.2f} [{t['range'][0]:.2f}, {t['range'][1]:.2f}]"
    most = ", ".join(show(f(times, key=lambda t: t["value"])) for f in (max, min)) if times else ""
    yes = {True: "yes", False: "no", "": ""}[took]
    print(f"| {release} | {found['library']} | {limits} | {near} | {settings} | {yes} | {most} | {found['verdict']} |")
PYTHON

//! What is planted, how, and what is right to say of it.

/// How a plant gets around the program.
pub(crate) enum By {
    /// Words in front of it; `{wrap}` is the compiled helper, `{folder}` a folder of our own.
    Words(&'static [&'static str]),
    /// A shell command around `"$@"`, with the same names.
    Shell(&'static str),
    /// A program beside it, as a shell command.
    Beside(&'static str),
}

/// One plant.
pub(crate) struct Plant {
    pub(crate) name: &'static str,
    /// What is done, for the table.
    pub(crate) what: &'static str,
    pub(crate) by: By,
    /// Causes of which one is right; none where nothing is to be found.
    pub(crate) right: &'static [&'static str],
    /// Must each of them be named?
    pub(crate) both: bool,
}

const fn one(
    name: &'static str,
    what: &'static str,
    by: By,
    right: &'static [&'static str],
) -> Plant {
    Plant {
        name,
        what,
        by,
        right,
        both: false,
    }
}

const fn pair(
    name: &'static str,
    what: &'static str,
    by: By,
    right: &'static [&'static str],
) -> Plant {
    Plant {
        both: true,
        ..one(name, what, by, right)
    }
}

/// Nothing that the points could show.
const fn null(name: &'static str, what: &'static str, by: By) -> Plant {
    one(name, what, by, &[])
}

use By::{Beside, Shell, Words};

/// All of them: single causes, nulls, pairs.
pub(crate) const PLANTS: &[Plant] = &[
    one(
        "slack",
        "prctl: timers 3 ms late",
        Words(&["{wrap}", "slack", "3000000"]),
        &["timer-slack"],
    ),
    one(
        "seccomp",
        "prctl: a filter of 300 comparisons",
        Words(&["{wrap}", "seccomp", "300"]),
        &["seccomp"],
    ),
    one(
        "seccomp-stacked",
        "prctl: six filters, one inside the other",
        Shell(
            "{wrap} seccomp 60 {wrap} seccomp 60 {wrap} seccomp 60 {wrap} seccomp 60 {wrap} seccomp 60 {wrap} seccomp 60 \"$@\"",
        ),
        &["seccomp"],
    ),
    one(
        "ptrace",
        "ptrace: every system call stopped",
        Words(&["{wrap}", "trace", "0"]),
        &["tracing"],
    ),
    one(
        "strace",
        "strace -f, its output thrown away",
        Words(&["strace", "-f", "-q", "-o", "/dev/null"]),
        &["tracing"],
    ),
    one(
        "files",
        "setrlimit and 8,000 open files",
        Words(&["{wrap}", "files", "8000"]),
        &["fork"],
    ),
    one(
        "thp",
        "prctl: no huge pages",
        Words(&["{wrap}", "thp", "0"]),
        &["tlb-reach"],
    ),
    one(
        "one-cpu",
        "taskset: one CPU",
        Words(&["taskset", "-c", "0"]),
        &["cross-cpu-wakeup", "copies"],
    ),
    one(
        "cpuset",
        "a cpuset control group with one CPU",
        Shell(
            "d=/sys/fs/cgroup/cpuset/outside; mkdir -p $d || exit 1; echo 1 > $d/cpuset.cpus; echo 0 > $d/cpuset.mems; sh -c 'echo $$ > /sys/fs/cgroup/cpuset/outside/cgroup.procs; exec \"$0\" \"$@\"' \"$@\"; r=$?; sleep 0.1; rmdir $d; exit $r",
        ),
        &["cross-cpu-wakeup", "copies"],
    ),
    one(
        "environment",
        "400 variables of 300 bytes",
        Shell("for i in $(seq 1 400); do export PAD_$i=$(printf %0300d 0); done; \"$@\""),
        &["environment"],
    ),
    one(
        "bind-now",
        "LD_BIND_NOW and 60 folders to look for libraries in",
        Shell("LD_BIND_NOW=1 LD_LIBRARY_PATH=$(seq -s: -f {folder}/none%g 1 60) \"$@\""),
        &["program-start"],
    ),
    one(
        "tunables",
        "GLIBC_TUNABLES: no wide vectors",
        Shell(
            "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-ERMS,-AVX512F,-AVX512VL,-AVX_Fast_Unaligned_Load \"$@\"",
        ),
        &["memory-routines"],
    ),
    one(
        "nontemporal",
        "GLIBC_TUNABLES: copies from 16 KiB on past the caches",
        Shell("GLIBC_TUNABLES=glibc.cpu.x86_non_temporal_threshold=0x4040 \"$@\""),
        &["memory-routines"],
    ),
    one(
        "preload",
        "LD_PRELOAD: eight libraries",
        Shell("for i in 1 2 3 4 5 6 7 8; do l=$l{folder}/empty$i.so:; done; LD_PRELOAD=$l \"$@\""),
        &["preload"],
    ),
    one(
        "preload-file",
        "/etc/ld.so.preload: eight libraries",
        Shell(
            "unshare -m sh -c 'ls {folder}/empty[1-8].so > {folder}/list; touch /etc/ld.so.preload; mount --bind {folder}/list /etc/ld.so.preload; exec \"$0\" \"$@\"' \"$@\"; r=$?; rm -f /etc/ld.so.preload; exit $r",
        ),
        &["preload"],
    ),
    one(
        "audit",
        "LD_AUDIT: a library that watches the loader",
        Shell("LD_AUDIT={folder}/audit.so \"$@\""),
        &["preload", "program-start"],
    ),
    one(
        "slow-memcpy",
        "LD_PRELOAD: a memcpy that copies byte by byte",
        Shell("LD_PRELOAD={folder}/slow.so \"$@\""),
        &["memory-routines", "preload"],
    ),
    one(
        "frozen",
        "a freezer control group, stopped half of the time",
        Shell(
            "d=/sys/fs/cgroup/freezer/outside; mkdir -p $d || exit 1; sh -c 'echo $$ > /sys/fs/cgroup/freezer/outside/cgroup.procs; exec \"$0\" \"$@\"' \"$@\" & p=$!; while kill -0 $p 2>/dev/null; do sleep 0.01; echo FROZEN > $d/freezer.state; sleep 0.01; echo THAWED > $d/freezer.state; done; wait $p; r=$?; sleep 0.1; rmdir $d; exit $r",
        ),
        &["cpu-quota", "cpu-neighbor", "scheduling"],
    ),
    one(
        "quota",
        "a control group with half of a CPU",
        Shell(
            "d=/sys/fs/cgroup/cpu/outside; mkdir -p $d || exit 1; echo 20000 > $d/cpu.cfs_period_us; echo 10000 > $d/cpu.cfs_quota_us; sh -c 'echo $$ > /sys/fs/cgroup/cpu/outside/cgroup.procs; exec \"$0\" \"$@\"' \"$@\"; r=$?; sleep 0.1; rmdir $d; exit $r",
        ),
        &["cpu-quota"],
    ),
    one(
        "memory-limit",
        "a control group with 160 MiB of memory",
        Shell(
            "d=/sys/fs/cgroup/memory/outside; mkdir -p $d || exit 1; echo 160M > $d/memory.limit_in_bytes; sh -c 'echo $$ > /sys/fs/cgroup/memory/outside/cgroup.procs; exec \"$0\" \"$@\"' \"$@\"; r=$?; sleep 0.1; rmdir $d; exit $r",
        ),
        &["memory-limit"],
    ),
    one(
        "tc",
        "tc in a network namespace: the loopback at 1 Mbit/s",
        Words(&[
            "unshare",
            "-n",
            "sh",
            "-c",
            "ip link set lo up && tc qdisc add dev lo root tbf rate 1mbit burst 2kb latency 100ms && exec \"$0\" \"$@\"",
        ]),
        &["network"],
    ),
    one(
        "burner",
        "two busy loops beside",
        Beside("while :; do :; done & while :; do :; done & wait"),
        &["cpu-neighbor"],
    ),
    one(
        "starter",
        "two loops beside that start programs",
        Beside("while :; do /bin/true; done & while :; do /bin/true; done & wait"),
        &["cpu-neighbor"],
    ),
    one(
        "streamer",
        "a program beside that copies memory",
        Beside("{folder}/stream"),
        &["memory-neighbor", "cpu-neighbor"],
    ),
    one(
        "sched-idle-burnt",
        "sched_setscheduler: idle, beside a busy loop",
        Shell(
            "(timeout 120 sh -c 'while :; do :; done' & echo $! > {folder}/pid); {wrap} idle 0 \"$@\"; r=$?; kill $(cat {folder}/pid); exit $r",
        ),
        &["scheduling", "cpu-neighbor"],
    ),
    one(
        "nice-burnt",
        "nice 19, beside a busy loop",
        Shell(
            "(timeout 120 sh -c 'while :; do :; done' & echo $! > {folder}/pid); nice -n 19 \"$@\"; r=$?; kill $(cat {folder}/pid); exit $r",
        ),
        &["scheduling", "cpu-neighbor"],
    ),
    one(
        "shares-burnt",
        "a control group with a small share, beside busy loops",
        Shell(
            "d=/sys/fs/cgroup/cpu/outside; mkdir -p $d || exit 1; echo 102 > $d/cpu.shares; timeout 120 sh -c 'while :; do :; done' & b=$!; timeout 120 sh -c 'while :; do :; done' & c=$!; sh -c 'echo $$ > /sys/fs/cgroup/cpu/outside/cgroup.procs; exec \"$0\" \"$@\"' \"$@\"; r=$?; kill $b $c; sleep 0.1; rmdir $d; exit $r",
        ),
        &["scheduling", "cpu-neighbor"],
    ),
    one(
        "sched-idle",
        "sched_setscheduler: idle, on a quiet machine",
        Words(&["{wrap}", "idle", "0"]),
        &["scheduling", "nothing"],
    ),
    one(
        "realtime",
        "sched_setscheduler: first in, first out",
        Words(&["chrt", "-f", "10"]),
        &["scheduling", "nothing"],
    ),
    // It preempts less where it wakes up, which unpinned processes show or do not.
    one(
        "batch",
        "sched_setscheduler: batch",
        Words(&["{wrap}", "batch", "0"]),
        &["scheduling", "nothing"],
    ),
    one(
        "tmpfs",
        "TMPDIR on a file system in memory",
        Shell(
            "mkdir -p {folder}/tmp; mount -t tmpfs none {folder}/tmp && cd {folder}/tmp && TMPDIR={folder}/tmp \"$@\"; r=$?; cd /; umount {folder}/tmp; exit $r",
        ),
        &["file-system"],
    ),
    one(
        "loop",
        "TMPDIR on a file system in a file, mounted to write at once",
        Shell(
            "mkdir -p {folder}/loop; [ -e {folder}/disk ] || { truncate -s 64M {folder}/disk; mkfs.ext4 -q {folder}/disk; }; mount -o loop,sync {folder}/disk {folder}/loop && cd {folder}/loop && TMPDIR={folder}/loop \"$@\"; r=$?; cd /; umount {folder}/loop; exit $r",
        ),
        &["file-system"],
    ),
    one(
        "locale",
        "LC_ALL=C.UTF-8",
        Shell("LC_ALL=C.UTF-8 LANG=C.UTF-8 \"$@\""),
        &["locale", "nothing"],
    ),
    null(
        "random",
        "personality: addresses that are not random",
        Words(&["{wrap}", "random", "0"]),
    ),
    null(
        "session",
        "setsid: a session of its own",
        Words(&["setsid", "-w"]),
    ),
    null(
        "stack",
        "setrlimit: a stack without limit",
        Words(&["{wrap}", "stack", "0"]),
    ),
    null(
        "core",
        "ulimit: cores without limit",
        Shell("ulimit -c unlimited; \"$@\""),
    ),
    null(
        "pids",
        "unshare: process numbers of its own",
        Words(&["unshare", "-p", "-f"]),
    ),
    null("ionice", "ionice: idle", Words(&["ionice", "-c", "3"])),
    null(
        "netns",
        "unshare: a network of its own",
        Words(&[
            "unshare",
            "-n",
            "sh",
            "-c",
            "ip link set lo up && exec \"$0\" \"$@\"",
        ]),
    ),
    null("plain", "nothing", Words(&[])),
    null("plain-2", "nothing", Words(&[])),
    null("plain-3", "nothing", Words(&[])),
    pair(
        "slack+seccomp",
        "timers 3 ms late, a filter of 300 comparisons",
        Words(&["{wrap}", "slack", "3000000", "{wrap}", "seccomp", "300"]),
        &["timer-slack", "seccomp"],
    ),
    pair(
        "files+slack",
        "8,000 open files, timers 3 ms late",
        Words(&["{wrap}", "files", "8000", "{wrap}", "slack", "3000000"]),
        &["fork", "timer-slack"],
    ),
    pair(
        "thp+seccomp",
        "no huge pages, a filter of 300 comparisons",
        Words(&["{wrap}", "thp", "0", "{wrap}", "seccomp", "300"]),
        &["tlb-reach", "seccomp"],
    ),
    pair(
        "preload+slack",
        "eight libraries preloaded, timers 3 ms late",
        Shell(
            "for i in 1 2 3 4 5 6 7 8; do l=$l{folder}/empty$i.so:; done; LD_PRELOAD=$l {wrap} slack 3000000 \"$@\"",
        ),
        &["preload", "timer-slack"],
    ),
];

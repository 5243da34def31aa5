//! What the sides are called, and whose work a patch is.

use whyslow_model::Record;
use whyslow_model::comparison::Side;
use whyslow_model::role::Role;
use whyslow_model::state::Change;

use super::said;
use crate::case::Case;

/// What the publication calls the sides and what their files are called, where that differs: `glibc` and `musl` say what
/// was done.
pub(super) fn names(case: &Case<'_>) -> Vec<Change> {
    let of = |record: &Record| Some(record.origin.as_ref()?.system.clone());
    let [a, b] = [&case.comparison.a, &case.comparison.b].map(file);
    // Files of one name are told apart by their folders.
    let stems = match a.zip(b) {
        Some((a, b)) if stem(a) == stem(b) => Some(without_common_folders(a, b)),
        both => both.map(|(a, b)| (stem(a), stem(b))),
    };
    let owned = |(a, b): (&str, &str)| (a.to_owned(), b.to_owned());
    let pairs = [of(case.a).zip(of(case.b)), stems.map(owned)];
    let differ = |(a, b): &(String, String)| a != b && !a.is_empty() && !b.is_empty();
    let pairs = pairs.into_iter().flatten().filter(differ);
    pairs
        .map(|(before, after)| Change {
            what: said::NAME.to_owned(),
            before,
            after,
        })
        .collect()
}

fn file(side: &Side) -> Option<&str> {
    side.records.first().map(String::as_str)
}

/// Both paths from the first folder on that is another one: that both lie below `/tmp` says nothing of either.
fn without_common_folders<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let slash = a.as_bytes()[..same].iter().rposition(|byte| *byte == b'/');
    let common = slash.map_or(0, |at| at + 1);
    (&a[common..], &b[common..])
}

/// The name of a file without its folder and without what says which kind it is.
fn stem(path: &str) -> &str {
    const KINDS: [&str; 10] = [
        ".txt", ".log", ".json", ".csv", ".out", ".md", ".xml", ".whyslow", ".dat", ".tsv",
    ];
    let path = path.split_once('#').map_or(path, |(file, _)| file);
    // `w/o prefetch` is no folder.
    let folder = path.rsplit_once('/');
    let name = folder.map_or(path, |(folder, name)| {
        match folder.contains(' ') || folder == "w" {
            true => path,
            false => name,
        }
    });
    let kind = KINDS.iter().find_map(|kind| name.strip_suffix(kind));
    kind.unwrap_or(name)
}

/// Where the title of a kernel's patch begins: `mm/memcg: …`, `x86/bugs: …`.
const OF_KERNEL: &[&str] = &[
    "acpi",
    "aio",
    "amd_pstate",
    "apparmor",
    "arm64",
    "ata",
    "audit",
    "bcache",
    "blk",
    "blk-mq",
    "block",
    "bonding",
    "bpf",
    "btrfs",
    "ceph",
    "cfs",
    "cgroup",
    "cifs",
    "clocksource",
    "cma",
    "compaction",
    "copy_user",
    "cpufreq",
    "cpuidle",
    "cpuset",
    "crypto",
    "damon",
    "dcache",
    "dm",
    "dmaengine",
    "driver",
    "drm",
    "eevdf",
    "elevator",
    "epoll",
    "erofs",
    "eventpoll",
    "ext4",
    "f2fs",
    "fs",
    "fscrypt",
    "fsnotify",
    "ftrace",
    "fuse",
    "futex",
    "hrtimer",
    "hugetlb",
    "hugetlbfs",
    "i40e",
    "iavf",
    "ice",
    "inode",
    "intel_idle",
    "intel_pstate",
    "io_uring",
    "iomap",
    "iommu",
    "ipv4",
    "ipv6",
    "irq",
    "ixgbe",
    "jbd2",
    "kasan",
    "kernel",
    "kfence",
    "khugepaged",
    "kprobes",
    "ksm",
    "kvm",
    "landlock",
    "lib",
    "libata",
    "lockdep",
    "locking",
    "lockref",
    "loongarch",
    "md",
    "memblock",
    "memcg",
    "memcontrol",
    "mips",
    "mlx4",
    "mlx5",
    "mm",
    "mmap",
    "mmc",
    "mtd",
    "namei",
    "nbd",
    "net",
    "netfilter",
    "nfs",
    "nfsd",
    "nohz",
    "numa",
    "nvme",
    "objcg",
    "overlayfs",
    "ovl",
    "page_alloc",
    "pci",
    "pelt",
    "percpu",
    "perf",
    "pipe",
    "posix-timers",
    "powerpc",
    "printk",
    "psi",
    "ptrace",
    "qspinlock",
    "raid5",
    "random",
    "rcu",
    "readahead",
    "riscv",
    "rmap",
    "rwsem",
    "s390",
    "sbitmap",
    "sched",
    "scsi",
    "seccomp",
    "selinux",
    "shmem",
    "skbuff",
    "slab",
    "slub",
    "sock",
    "softirq",
    "sparc",
    "sparc64",
    "stop_machine",
    "sunrpc",
    "swap",
    "tcp",
    "thp",
    "tick",
    "timekeeping",
    "timers",
    "tmpfs",
    "tracing",
    "tun",
    "uaccess",
    "ublk",
    "udp",
    "uprobes",
    "usercopy",
    "userfaultfd",
    "vdso",
    "vfs",
    "vhost",
    "virtio",
    "virtio-blk",
    "virtio_blk",
    "virtio_net",
    "vmalloc",
    "vmscan",
    "workqueue",
    "writeback",
    "x86",
    "xen",
    "xfs",
    "zram",
    "zsmalloc",
    "zswap",
];

/// Work that is the kernel's and of which programs in user space have none of their own by that name.
pub(super) const OF_CALLS: [Role; 10] = [
    Role::SystemCall,
    Role::FileMetadata,
    Role::FileCreate,
    Role::Fork,
    Role::Fault,
    Role::Signal,
    Role::Descriptors,
    Role::SwitchSameCpu,
    Role::SwitchAnyCpu,
    Role::SystemTime,
];

/// Is it stated how the program was built? Then it is the program that was worked on.
pub(super) fn is_compiled(case: &Case<'_>) -> bool {
    let stated = |record: &Record| {
        let origin = record.origin.as_ref();
        origin.is_some_and(|origin| origin.stated.contains_key("compiler"))
    };
    stated(case.a) || stated(case.b)
}

/// Trees that the kernel is developed in, as sides are called after them.
const TREES: [&str; 12] = [
    "tip:",
    "tip/",
    "linux-next",
    "net-next",
    "bpf-next",
    "linux-stable",
    "linuxppc",
    "mm-unstable",
    "mm-stable",
    "mmotm",
    "mainline",
    "sched/core",
];

/// Is a side called after a tree of the kernel?
fn is_of_tree(case: &Case<'_>) -> bool {
    let of = |record: &Record| record.origin.as_ref().map(|o| o.system.to_lowercase());
    let mut sides = [of(case.a), of(case.b)].into_iter().flatten();
    sides.any(|side| TREES.iter().any(|tree| side.starts_with(tree)))
}

/// Does the title of a patch, a side's name, or the tool, say that it is one of the kernel?
pub(super) fn is_of_kernel(case: &Case<'_>) -> bool {
    let robot = case
        .a
        .origin
        .as_ref()
        .is_some_and(|o| o.format == "test-robot");
    let titles = case.changes(&["patch"]).flat_map(|c| [&c.before, &c.after]);
    robot
        || is_of_tree(case)
        || titles.into_iter().any(|title| {
            let title = title.trim_matches('"').to_lowercase();
            let front = title.split_once(": ").map_or("", |(front, _)| front);
            let first = front.split(['/', ',', ' ']).next().unwrap_or_default();
            OF_KERNEL.contains(&first)
        })
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn files_are_called_by_their_names() {
        for (path, name) in [
            ("results/gcc-12.txt", "gcc-12"),
            ("/tmp/ext4.json", "ext4"),
            ("5.8.10", "5.8.10"),
            ("all.txt#gcc", "all"),
            ("w/o prefetch", "w/o prefetch"),
            ("with / without", "with / without"),
        ] {
            assert_eq!(stem(path), name);
        }
    }

    #[test]
    fn folders_of_both_files_are_left_out() {
        for (a, b, left) in [
            ("/tmp/t.md#off", "/tmp/t.md#on", ("t.md#off", "t.md#on")),
            (
                "/tmp/glibc/a.txt",
                "/tmp/musl/a.txt",
                ("glibc/a.txt", "musl/a.txt"),
            ),
            (
                "glibc/a.txt",
                "glibc-2/a.txt",
                ("glibc/a.txt", "glibc-2/a.txt"),
            ),
            ("/tmp/é/a", "/tmp/è/a", ("é/a", "è/a")),
        ] {
            assert_eq!(super::without_common_folders(a, b), left);
        }
    }
}

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
        Some((a, b)) if stem(a) == stem(b) => Some((a, b)),
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
    "aio",
    "arm64",
    "block",
    "bpf",
    "btrfs",
    "cgroup",
    "clocksource",
    "cpufreq",
    "cpuidle",
    "crypto",
    "dm",
    "driver",
    "drm",
    "ext4",
    "f2fs",
    "fs",
    "fscrypt",
    "fsnotify",
    "fuse",
    "futex",
    "hrtimer",
    "i40e",
    "ice",
    "io_uring",
    "iomap",
    "iommu",
    "ipv4",
    "ipv6",
    "irq",
    "ixgbe",
    "jbd2",
    "kernel",
    "ksm",
    "kvm",
    "lib",
    "locking",
    "memcg",
    "mips",
    "mlx4",
    "mlx5",
    "mm",
    "net",
    "nfs",
    "nfsd",
    "numa",
    "nvme",
    "page_alloc",
    "perf",
    "pipe",
    "powerpc",
    "random",
    "rcu",
    "riscv",
    "s390",
    "sbitmap",
    "sched",
    "scsi",
    "seccomp",
    "selinux",
    "slab",
    "slub",
    "sock",
    "sunrpc",
    "swap",
    "tcp",
    "tick",
    "timers",
    "tracing",
    "uprobes",
    "vfs",
    "virtio_net",
    "vmscan",
    "workqueue",
    "x86",
    "xen",
    "xfs",
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

/// Does the title of a patch, or the tool, say that it is one of the kernel?
pub(super) fn is_of_kernel(case: &Case<'_>) -> bool {
    let robot = case
        .a
        .origin
        .as_ref()
        .is_some_and(|o| o.format == "test-robot");
    let titles = case.changes(&["patch"]).flat_map(|c| [&c.before, &c.after]);
    robot
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
}

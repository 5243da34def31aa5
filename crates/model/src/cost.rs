//! What one operation of a row is made of, whatever tool measured it: how often it enters the kernel, switches,
//! forks. A difference between two machines then becomes time added to an operation, and a mechanism has one price
//! in all rows.

use crate::Point;
use crate::role::Role;

/// Declares the mechanisms, each with its name after "a" or "an".
macro_rules! mechanisms {
    ($($(#[doc = $doc:literal])+ $name:ident => $text:literal,)+) => {
        /// Something that operations do a number of times, at a price each.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Mechanism {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Mechanism {
            /// All of them.
            pub const ALL: &[Mechanism] = &[$(Mechanism::$name,)+];

            /// One of it, with its article.
            pub fn name(self) -> &'static str {
                match self {
                    $(Mechanism::$name => $text,)+
                }
            }
        }
    };
}

mechanisms! {
    /// Entry into the kernel and return from it, by a call or an exception.
    KernelEntry => "a kernel entry",
    /// Switch from one process to another.
    Switch => "a context switch",
    /// Byte copied between user and kernel.
    ByteCopied => "a byte copied",
    /// Fault that maps a page.
    Fault => "a page fault",
    /// Process copied and ended.
    Fork => "a process copied",
    /// Program started.
    Exec => "a program start",
    /// Path resolved.
    Path => "a path resolved",
    /// File created or deleted.
    Create => "a file created or deleted",
    /// Signal delivered.
    Signal => "a signal delivered",
    /// Packet through the local network.
    Packet => "a local packet",
}

/// How often one operation does what.
pub type Counts = &'static [(Mechanism, f64)];

use Mechanism::{ByteCopied, Create, Exec, Fault, Fork, KernelEntry, Packet, Path, Signal, Switch};

/// What a short program that is started anew passes before and after its own work: calls of the loader and faults of
/// its pages (`strace -c` and `perf stat` of `true` on Debian 12: some 30 calls and 60 faults).
const START: [(Mechanism, f64); 2] = [(KernelEntry, 90.0), (Fault, 60.0)];

/// A process copied by fork that ends at once: fork, wait, exit and their switches; copy on write faults.
const FORK: Counts = &[
    (Fork, 1.0),
    (KernelEntry, 20.0),
    (Fault, 15.0),
    (Switch, 2.0),
];

/// The same that starts a program.
const FORK_EXEC: Counts = &[
    (Fork, 1.0),
    (Exec, 1.0),
    (KernelEntry, START[0].1 + 20.0),
    (Fault, START[1].1 + 15.0),
    (Switch, 2.0),
];

/// The same by way of a shell: two programs, two copies.
const SHELL: Counts = &[
    (Fork, 2.0),
    (Exec, 2.0),
    (KernelEntry, 2.0 * (START[0].1 + 20.0)),
    (Fault, 2.0 * (START[1].1 + 15.0)),
    (Switch, 4.0),
];

/// Programs that BYTE's shell script starts: sort, od, grep, tee, wc and rm, and the shell itself.
const SCRIPT: f64 = 7.0;

/// Rows whose operation is not the usual one of their role: a prefix of the point's text, a text in it (empty for
/// any), and what one operation does. Counts are of the sources of the tools: lmbench 3, BYTE and UnixBench 4 to 6.
const ROWS: &[(&str, &str, Counts)] = &[
    // One loop of five calls: dup, close, getpid, getuid, umask.
    ("byte.system_call", "", &[(KernelEntry, 5.0)]),
    // A write and a read of 512 bytes.
    (
        "byte.pipe_throughput",
        "",
        &[(KernelEntry, 2.0), (ByteCopied, 1024.0)],
    ),
    // Two processes send a number to and fro: a write and a read each, and two switches.
    ("byte.pipe_based", "", &[(KernelEntry, 2.0), (Switch, 1.0)]),
    ("byte.process_creation", "", FORK),
    // The program replaces itself, without a fork.
    (
        "byte.execl",
        "",
        &[(Exec, 1.0), (KernelEntry, START[0].1), (Fault, START[1].1)],
    ),
    (
        "byte.shell",
        "1_concurrent",
        &[
            (Fork, SCRIPT),
            (Exec, SCRIPT),
            (KernelEntry, SCRIPT * 110.0),
            (Fault, SCRIPT * 75.0),
            (Switch, SCRIPT * 2.0),
        ],
    ),
    // A second and more of work beside the calls.
    ("byte.c_compiler", "", &[]),
    ("byte.dc_", "", &[]),
    ("byte.shell", "", &[]),
    ("byte.file_", "", &[]),
    ("lmbench.open_close", "", &[(KernelEntry, 2.0), (Path, 1.0)]),
    ("os.open_close", "", &[(KernelEntry, 2.0), (Path, 1.0)]),
    ("lmbench.stat", "", &[(KernelEntry, 1.0), (Path, 1.0)]),
    ("lmbench.select", "", &[]),
    ("os.select", "", &[]),
    ("lmbench.sig_inst", "", &[(KernelEntry, 1.0)]),
    (
        "lmbench.pipe_latency",
        "",
        &[(KernelEntry, 4.0), (Switch, 2.0)],
    ),
    ("ipc.pipe", "", &[(KernelEntry, 4.0), (Switch, 2.0)]),
    ("perf.sched_pipe", "", &[(KernelEntry, 4.0), (Switch, 2.0)]),
    ("lmbench.mmap", "", &[]),
    (
        "lmbench.tcp_conn",
        "",
        &[(KernelEntry, 6.0), (Packet, 4.0), (Switch, 2.0)],
    ),
    ("lmbench.exec", "", FORK_EXEC),
    ("lmbench.sh_proc", "", SHELL),
    ("proc.exec", "", FORK_EXEC),
    ("proc.shell", "", SHELL),
];

impl Role {
    /// What the usual operation of the role does; empty where operations of one role have little in common, and where
    /// it is no operation.
    pub fn does(self) -> Counts {
        match self {
            Role::SystemCall => &[(KernelEntry, 1.0)],
            Role::FileMetadata => &[(KernelEntry, 1.0), (Path, 1.0)],
            Role::Fault => &[(KernelEntry, 1.0), (Fault, 1.0)],
            Role::Signal => &[(KernelEntry, 2.0), (Signal, 1.0)],
            Role::SwitchSameCpu | Role::SwitchAnyCpu => &[(Switch, 1.0)],
            Role::LocalLatency => &[(KernelEntry, 4.0), (Switch, 2.0), (Packet, 2.0)],
            Role::Fork => FORK,
            Role::ProgramStart => FORK_EXEC,
            Role::FileCreate => &[(KernelEntry, 2.0), (Path, 1.0), (Create, 1.0)],
            _ => &[],
        }
    }
}

/// Beginnings of the points whose operations are not the usual ones of their role.
pub fn rows() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|(start, ..)| *start)
}

/// What one operation of `point`, whose role is `role`, does; empty where it is not known.
pub fn counts(point: &Point, role: Role) -> Counts {
    let text = point.to_string();
    let own = ROWS
        .iter()
        .find(|(start, part, _)| text.starts_with(start) && text.contains(part));
    own.map_or_else(|| role.does(), |(.., counts)| counts)
}

/// Nanoseconds that one operation takes, of a value in `symbol`; nothing where the unit is of something else than
/// time, or operations a time. Bytes a second are not: an operation there moves many.
pub fn ns_each(value: f64, symbol: &str) -> Option<f64> {
    if !(value > 0.0 && value.is_finite()) {
        return None;
    }
    let unit = symbol.trim().to_lowercase();
    let unit = unit
        .strip_suffix("/op")
        .or_else(|| unit.strip_suffix("/call"))
        .unwrap_or(&unit);
    Some(match unit {
        "ns" | "nanoseconds" | "nsec" | "nsecs" => value,
        "us" | "usec" | "usecs" | "microseconds" | "µs" => value * 1e3,
        "ms" | "msec" | "milliseconds" => value * 1e6,
        "lps" | "ops/s" | "ops/sec" | "/s" | "calls/s" | "loops/s" => 1e9 / value,
        "lpm" => 60e9 / value,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_say_what_they_do() {
        let of = |text: &str, role| counts(&text.parse::<Point>().expect("a point"), role);
        assert_eq!(
            of("byte.system_call_overhead_test", Role::SystemCall),
            &[(KernelEntry, 5.0)]
        );
        assert_eq!(of("os.null_call", Role::SystemCall), &[(KernelEntry, 1.0)]);
        assert!(of("mem.latency{size=1MiB}", Role::L2).is_empty());
    }

    #[test]
    fn values_become_time() {
        assert_eq!(ns_each(340_616.2, "lps").map(f64::round), Some(2936.0));
        assert_eq!(ns_each(2.0, "us"), Some(2000.0));
        assert_eq!(ns_each(2.0, "MB/s"), None);
        assert_eq!(ns_each(0.0, "us"), None);
    }
}

//! Before a run: conditions of this host that would disturb its numbers, and how to fix them.
//!
//! Every check is a function of what was read, and reads nothing itself; [`look`] reads.

mod clock;
mod company;
mod leftovers;
mod limits;
mod memory;
mod process;
mod routines;

use std::path::Path;
use std::time::Duration;

use whyslow_model::doctor::{Check, Diagnosis, Finding, SCHEMA, Trouble};
use whyslow_model::host::{Host, Known};
use whyslow_model::state::{Neighbours, State};

use crate::root::HostRoot;
use crate::usage::CpuUse;

/// How long to watch other load: some hundred ticks of the kernel's accounting on two CPUs.
const LOOK: Duration = Duration::from_secs(2);

/// What the checks judge by.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Host facts.
    pub host: Host,
    /// Its state.
    pub state: State,
    /// CPU usage during the observation.
    pub neighbours: Neighbours,
    /// Thermal throttle events: since boot, and during the observation.
    pub throttled: Known<[u64; 2]>,
    /// Folders that killed runs left behind.
    pub folders: Vec<String>,
    /// Journals of changes of this host that killed experiments left behind; [`look`] knows of none.
    pub changes: Vec<String>,
}

/// Looks at a host for two seconds. `work` and `temporary` as in [`HostRoot::state`].
pub fn look(root: &HostRoot, work: &Path, temporary: &Path) -> Seen {
    let host = root.facts();
    let state = root.state(work, temporary);
    let before = throttles(root);
    let start = CpuUse::take(root);
    std::thread::sleep(LOOK);
    let neighbours = CpuUse::take(root).since(&start);
    let throttled =
        throttles(root).and_then(|after| before.map(|b| [after, after.saturating_sub(b)]));
    Seen {
        host,
        state,
        neighbours,
        throttled,
        folders: leftovers::folders(),
        changes: Vec::new(),
    }
}

/// How often the cores were throttled since boot, over all of them.
pub fn throttles(root: &HostRoot) -> Known<u64> {
    let folder = "/sys/devices/system/cpu";
    let cpus = match root.numbered(folder, "cpu") {
        Ok(cpus) => cpus,
        Err(why) => return Known::unknown(why),
    };
    let mut sum = 0u64;
    let mut first = None;
    let mut any = false;
    for cpu in cpus {
        for what in ["core", "package"] {
            let path = format!("{folder}/cpu{cpu}/thermal_throttle/{what}_throttle_count");
            match root.value::<u64>(&path) {
                Known::Is(count) => (sum, any) = (sum.saturating_add(count), true),
                Known::Unknown(why) => {
                    first.get_or_insert(why.unknown);
                }
            }
        }
    }
    match (any, first) {
        (true, _) => Known::Is(sum),
        (false, Some(why)) => Known::unknown(why),
        (false, None) => Known::unknown(format!("no CPU in {folder}")),
    }
}

/// A check: what it is about, and what it finds.
type Checker = (&'static str, fn(&Seen) -> Finding);

/// All checks, the most harmful first.
const CHECKS: &[&[Checker]] = &[
    company::CHECKS,
    limits::CHECKS,
    clock::CHECKS,
    memory::CHECKS,
    routines::CHECKS,
    process::CHECKS,
    leftovers::CHECKS,
];

/// Runs the checks.
pub fn diagnose(seen: &Seen) -> Diagnosis {
    let checks = CHECKS.iter().copied().flatten();
    Diagnosis {
        schema: SCHEMA,
        checks: checks
            .map(|(about, check)| Check {
                about: (*about).to_owned(),
                found: check(seen),
            })
            .collect(),
    }
}

fn good(what: impl Into<String>) -> Finding {
    Finding::Good { what: what.into() }
}

fn unknown<T>(known: &Known<T>) -> Finding {
    Finding::Unknown {
        why: known.why().unwrap_or("not said").to_owned(),
    }
}

/// With a command that fixes it.
fn run(what: impl Into<String>, harm: &str, command: impl Into<String>) -> Trouble {
    Trouble {
        what: what.into(),
        harm: harm.to_owned(),
        mend: command.into(),
        command: true,
    }
}

/// With advice, if no command on this host fixes it.
fn advise(what: impl Into<String>, harm: &str, advice: impl Into<String>) -> Trouble {
    Trouble {
        command: false,
        ..run(what, harm, advice)
    }
}

/// `1 filter`, `2 filters`.
fn counted(count: u32, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    }
}

/// A share in percent.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent >= 10.0 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// Bytes in the largest binary unit that leaves a number above one.
fn bytes(bytes: u64) -> String {
    let steps = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let found = steps.into_iter().find(|(power, _)| bytes >= 1 << power);
    match found {
        Some((power, name)) => format!("{:.1} {name}", bytes as f64 / (1u64 << power) as f64),
        None => format!("{bytes} B"),
    }
}

//! Memory allocation.

use whyslow_model::doctor::Finding;
use whyslow_model::host::Known;

use super::{Checker, Seen, advise, bytes, good, run, unknown};

pub(super) const CHECKS: &[Checker] = &[
    ("huge pages (THP)", thp),
    ("swap", swap),
    ("merging of pages (KSM)", ksm),
    ("moving of pages between nodes", numa),
    ("memory that the host takes back", taken_back),
];

fn thp(seen: &Seen) -> Finding {
    match &seen.state.memory.thp.enabled {
        Known::Is(word) if word == "never" => Finding::Limits(run(
            "THP is `never`",
            "points with huge pages cannot be measured",
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
        )),
        // Probes ask for the pages that their points name, so both are alike to them.
        Known::Is(word) => good(format!("THP is `{word}`")),
        other => unknown(other),
    }
}

fn swap(seen: &Seen) -> Finding {
    let areas = match &seen.state.memory.swap {
        Known::Is(areas) => areas,
        other => return unknown(other),
    };
    let used = seen.state.now.swap_used_bytes.value().copied().unwrap_or(0);
    let what = match (areas.len(), used) {
        (0, _) => return good("no swap"),
        (_, 0) => return good("swap is there, and none is used"),
        (_, used) => format!("{} are in swap", bytes(used)),
    };
    Finding::Spoils(run(
        what,
        "memory was short: what is touched again comes back from a device, and free memory is in pieces",
        "sudo swapoff -a && sudo swapon -a",
    ))
}

fn ksm(seen: &Seen) -> Finding {
    match &seen.state.memory.ksm.run {
        Known::Is(1) => Finding::Spoils(run(
            "KSM is running",
            "it scans and merges pages meanwhile; a write to a merged page is a fault",
            "echo 0 | sudo tee /sys/kernel/mm/ksm/run",
        )),
        Known::Is(_) => good("KSM is stopped"),
        other => unknown(other),
    }
}

fn numa(seen: &Seen) -> Finding {
    let nodes = seen.host.topology.nodes.value().map_or(1, Vec::len);
    if nodes < 2 {
        return good("one memory node");
    }
    match &seen.state.memory.numa_balancing {
        Known::Is(0) => good("pages stay on their node"),
        Known::Is(_) => Finding::Spoils(run(
            format!("pages are moved between {nodes} nodes"),
            "the kernel unmaps pages to find which CPUs access them: faults and migrations during batches",
            "sudo sysctl kernel.numa_balancing=0",
        )),
        other => unknown(other),
    }
}

fn taken_back(seen: &Seen) -> Finding {
    match &seen.state.memory.page_reporting {
        Some(Known::Is(true)) => Finding::Spoils(advise(
            "the balloon reports free memory to the host (free page reporting)",
            "memory that was free for seconds is slow to touch first: its page comes from the host",
            "on the host, a balloon without free page reporting, or memory that is locked",
        )),
        Some(Known::Is(false)) => good("free memory stays with this system"),
        Some(other) => unknown(other),
        None => Finding::Unknown {
            why: "the record does not say".to_owned(),
        },
    }
}

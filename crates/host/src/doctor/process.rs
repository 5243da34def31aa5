//! Conditions that this process inherited from its parent.

use whyslow_model::doctor::Finding;
use whyslow_model::host::Known;

use super::{Checker, Seen, advise, counted, good, run, unknown};

pub(super) const CHECKS: &[Checker] = &[
    ("tracer", tracer),
    ("system call filters", filters),
    ("loader and allocator", steering),
    ("scheduling", scheduling),
    ("privileges", privileges),
];

fn tracer(seen: &Seen) -> Finding {
    match &seen.state.security.tracer_pid {
        Known::Is(0) => good("no process traces this one"),
        Known::Is(pid) => Finding::Spoils(advise(
            format!("process {pid} traces this one"),
            "every system call may stop for it",
            "start whyslow outside of strace, a debugger or a sandbox that traces",
        )),
        other => unknown(other),
    }
}

fn filters(seen: &Seen) -> Finding {
    let security = &seen.state.security;
    let mode = security.seccomp.value().map_or("", String::as_str);
    match &security.seccomp_filters {
        Known::Is(0) => good("no filter on system calls"),
        Known::Is(count) => Finding::Spoils(advise(
            format!(
                "every system call passes {}",
                counted(*count, "seccomp filter")
            ),
            "calls are slower by the cost of the filters, some ten to hundred ns",
            "in a container: `--security-opt seccomp=unconfined`; in a unit of systemd: no `SystemCallFilter=`",
        )),
        _ if mode == "off" => good("no filter on system calls"),
        other => unknown(other),
    }
}

fn steering(seen: &Seen) -> Finding {
    let set = &seen.state.environment.steering;
    if set.is_empty() {
        return good("no variable affects them");
    }
    let named: Vec<String> = set
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let names: Vec<&str> = set.keys().map(String::as_str).collect();
    Finding::Spoils(run(
        named.join(" "),
        "every started program loads or sets this first",
        format!("unset {}", names.join(" ")),
    ))
}

fn scheduling(seen: &Seen) -> Finding {
    let scheduler = &seen.state.scheduler;
    let (policy, nice) = match (&scheduler.policy, &scheduler.nice) {
        (Known::Is(policy), Known::Is(nice)) => (policy.as_str(), *nice),
        (Known::Is(_), other) => return unknown(other),
        (other, _) => return unknown(other),
    };
    let what = format!("policy {policy}, nice {nice}");
    if policy == "other" && nice == 0 {
        return good(what);
    }
    Finding::Spoils(advise(
        what,
        "workers inherit it: they get more or less CPU time than ordinary programs",
        "start whyslow without nice, chrt or a unit that sets them",
    ))
}

fn privileges(seen: &Seen) -> Finding {
    let has = match &seen.state.security.capabilities {
        Known::Is(names) => names,
        other => return unknown(other),
    };
    // The kernel shows frame numbers to this one alone.
    if has.iter().any(|name| name == "all" || name == "sys_admin") {
        return good("frame numbers are visible");
    }
    Finding::Limits(run(
        "without the capability sys_admin",
        "frame numbers stay hidden: the page colors of each draw are not recorded, and experiments that \
         change the host cannot be run; everything else is measured alike",
        "sudo whyslow run",
    ))
}

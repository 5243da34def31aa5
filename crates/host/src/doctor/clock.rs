//! The speed of the CPUs, and what the time is read from.

use whyslow_model::doctor::Finding;
use whyslow_model::host::Known;

use super::{Checker, Seen, advise, good, run, unknown};

pub(super) const CHECKS: &[Checker] = &[
    ("clock governor", governor),
    ("clock boost", boost),
    ("heat", heat),
    ("sleep states", sleep),
    ("time source", source),
];

fn governor(seen: &Seen) -> Finding {
    let policies = match &seen.state.frequency.policies {
        Known::Is(policies) => policies,
        other => return unknown(other),
    };
    let mut names: Vec<&str> = policies
        .iter()
        .filter_map(|p| p.governor.value().map(String::as_str))
        .collect();
    names.sort_unstable();
    names.dedup();
    let what = format!("governor {}", names.join(" and "));
    match names.as_slice() {
        [] => Finding::Unknown {
            why: "no policy names its governor".into(),
        },
        ["performance"] => good(what),
        _ => Finding::Spoils(run(
            what,
            "short batches run at whatever clock the governor has come to, so they do not repeat",
            "echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
        )),
    }
}

fn boost(seen: &Seen) -> Finding {
    match &seen.state.frequency.boost {
        Known::Is(false) => good("boost is off"),
        Known::Is(true) => {
            let intel = seen
                .state
                .frequency
                .policies
                .value()
                .is_some_and(|policies| {
                    let mut drivers = policies.iter().filter_map(|p| p.driver.value());
                    drivers.any(|driver| driver == "intel_pstate")
                });
            let command = if intel {
                "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
            } else {
                "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"
            };
            Finding::Spoils(run(
                "boost is on",
                "the clock depends on heat and on how many cores work; the record has the clock around \
                 each process, so leave it on to measure the machine as it is used",
                command,
            ))
        }
        other => unknown(other),
    }
}

fn heat(seen: &Seen) -> Finding {
    match &seen.throttled {
        Known::Is([since_boot, 0]) => {
            good(format!("throttled {since_boot} times since boot, not now"))
        }
        Known::Is([_, now]) => Finding::Spoils(advise(
            format!("cores were throttled {now} times within two seconds"),
            "the clock drops during measurements",
            "let it cool down, and look after fans, dust and the power limit",
        )),
        other => unknown(other),
    }
}

/// µs after which waking up shows in a switch between CPUs, which takes some µs.
const DEEP: u64 = 20;

fn sleep(seen: &Seen) -> Finding {
    let states = match &seen.state.frequency.idle_states {
        Known::Is(states) => states,
        other => return unknown(other),
    };
    let awake = |disabled: &Known<bool>| disabled.value().copied().unwrap_or(false);
    let deepest = states
        .iter()
        .filter(|s| !awake(&s.disabled))
        .filter_map(|s| Some((*s.exit_latency_us.value()?, s.name.as_str())))
        .max();
    match deepest {
        Some((latency, name)) if latency > DEEP => Finding::Spoils(run(
            format!("an idle CPU may sleep as deep as {name}, {latency} µs to wake up"),
            "switches and messages between CPUs take as long as waking up, which depends on how long the \
             CPU was idle",
            format!("sudo cpupower idle-set -D {DEEP}"),
        )),
        Some((latency, name)) => good(format!("deepest sleep {name}, {latency} µs to wake up")),
        None => good("CPUs do not sleep"),
    }
}

fn source(seen: &Seen) -> Finding {
    let source = &seen.state.clocksource;
    let current = match &source.current {
        Known::Is(current) => current.as_str(),
        other => return unknown(other),
    };
    // Those that a program reads without a system call.
    let cheap = [
        "tsc",
        "arch_sys_counter",
        "kvm-clock",
        "hyperv_clocksource_tsc_page",
    ];
    if cheap.contains(&current) {
        return good(format!("time comes from {current}"));
    }
    let better = source
        .available
        .value()
        .and_then(|all| all.iter().find(|name| cheap.contains(&name.as_str())));
    let what = format!("time comes from {current}");
    let harm = "every reading of the clock is a system call or worse: programs that time themselves pay, \
                and batches are timed less sharply";
    Finding::Spoils(match better {
        Some(better) => run(
            what,
            harm,
            format!(
                "echo {better} | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"
            ),
        ),
        None => advise(
            what,
            harm,
            "see in the kernel's log why no better source is offered (`dmesg | grep -i clocksource`)",
        ),
    })
}

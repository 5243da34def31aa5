//! The scheduler and the timer tick.

use std::collections::BTreeMap;

use whyslow_model::host::Known;
use whyslow_model::state::{Kernel, Scheduler};

use crate::parse::{bracketed, process_ticks};
use crate::root::HostRoot;

/// Files of the scheduler in debugfs that hold one value each.
const DEBUG: [&str; 9] = [
    "base_slice_ns",
    "latency_ns",
    "min_granularity_ns",
    "wakeup_granularity_ns",
    "idle_min_granularity_ns",
    "migration_cost_ns",
    "nr_migrate",
    "tunable_scaling",
    "latency_warn_ms",
];

pub(super) fn scheduler(root: &HostRoot, kernel: &Kernel) -> Scheduler {
    let own = root.text("/proc/self/stat").and_then(|text| {
        process_ticks(&text).map_or_else(
            || Known::unknown("not understood: /proc/self/stat"),
            Known::Is,
        )
    });
    Scheduler {
        hz: kernel.config.as_ref().and_then(|config| {
            config
                .options
                .get("HZ")
                .and_then(|hz| hz.parse().ok())
                .map_or_else(
                    || Known::unknown(format!("no CONFIG_HZ in {}", config.source)),
                    Known::Is,
                )
        }),
        preemption: preemption(root, kernel),
        features: root.line("/sys/kernel/debug/sched/features"),
        settings: settings(root),
        sched_ext: root
            .line("/sys/kernel/sched_ext/root/ops")
            .or_else(|| root.line("/sys/kernel/sched_ext/state")),
        timer_migration: root.value("/proc/sys/kernel/timer_migration"),
        nmi_watchdog: root.value("/proc/sys/kernel/nmi_watchdog"),
        policy: own.as_ref().and_then(|own| {
            own.policy.and_then(policy).map_or_else(
                || Known::unknown("no policy that is known in /proc/self/stat"),
                |policy| Known::Is(policy.to_owned()),
            )
        }),
        nice: own.map(|own| own.nice),
    }
}

/// sched(7) and `include/uapi/linux/sched.h`.
fn policy(number: u32) -> Option<&'static str> {
    match number {
        0 => Some("other"),
        1 => Some("fifo"),
        2 => Some("rr"),
        3 => Some("batch"),
        5 => Some("idle"),
        6 => Some("deadline"),
        7 => Some("ext"),
        _ => None,
    }
}

/// What is in force: debugfs says; otherwise the command line of a kernel that
/// can choose, then the words in the kernel's version, then its configuration.
fn preemption(root: &HostRoot, kernel: &Kernel) -> Known<String> {
    let debug = root.line("/sys/kernel/debug/sched/preempt");
    // The chosen one is in parentheses here: "none (voluntary) full".
    if let Some(word) = debug
        .value()
        .and_then(|text| bracketed(&text.replace('(', "[").replace(')', "]")).map(str::to_owned))
    {
        return Known::Is(word);
    }
    let version = kernel.version.value().map_or("", String::as_str);
    let has = |word: &str| version.split_whitespace().any(|other| other == word);
    if has("PREEMPT_RT") {
        return Known::Is("rt".into());
    }
    if !has("PREEMPT_DYNAMIC") {
        let by_config = kernel.config.value().and_then(built_in);
        return match by_config {
            Some(word) => Known::Is(word.into()),
            None if has("PREEMPT") => Known::Is("full".into()),
            None => Known::unknown("none or voluntary; the kernel's configuration would tell"),
        };
    }
    let by_boot = kernel.command_line.value().and_then(|line| {
        let word = line
            .split_whitespace()
            .rev()
            .find_map(|word| word.strip_prefix("preempt="))?;
        ["none", "voluntary", "full", "lazy"]
            .into_iter()
            .find(|known| *known == word)
    });
    // Root may have changed it since through debugfs, which is rare enough to report the boot
    // choice, or the built-in one.
    by_boot
        .or_else(|| kernel.config.value().and_then(built_in))
        .map_or_else(
            || Known::unknown("chosen at boot; neither debugfs nor the configuration can be read"),
            |word| Known::Is(word.into()),
        )
}

fn built_in(config: &whyslow_model::state::KernelConfig) -> Option<&'static str> {
    let is_set = |name: &str| config.options.contains_key(name);
    [
        ("PREEMPT_RT", "rt"),
        ("PREEMPT_LAZY", "lazy"),
        ("PREEMPT", "full"),
        ("PREEMPT_VOLUNTARY", "voluntary"),
        ("PREEMPT_NONE", "none"),
    ]
    .into_iter()
    .find(|(name, _)| is_set(name))
    .map(|(_, word)| word)
}

/// Debugfs needs root; the sysctls do not.
fn settings(root: &HostRoot) -> Known<BTreeMap<String, String>> {
    let sysctl = "/proc/sys/kernel";
    let names = match root.names(sysctl) {
        Ok(names) => names,
        Err(why) => return Known::unknown(why),
    };
    let sysctls = names
        .into_iter()
        .filter(|name| name.starts_with("sched_"))
        .map(|name| (format!("{sysctl}/{name}"), name));
    let debug = DEBUG.into_iter().map(|name| {
        (
            format!("/sys/kernel/debug/sched/{name}"),
            format!("debug.{name}"),
        )
    });
    Known::Is(
        sysctls
            .chain(debug)
            .filter_map(|(path, name)| Some((name, root.line(&path).into_value()?)))
            .collect(),
    )
}

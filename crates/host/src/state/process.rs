//! What the kernel lets this process do: rights and limits.

use std::collections::BTreeMap;

use whyslow_model::host::{Known, Limit};
use whyslow_model::state::{Inherited, Rlimit, Security};

use crate::parse::Keyed;
use crate::root::{HostRoot, not_understood};

/// Names of the capabilities by number, without `CAP_` (capabilities(7)).
const CAPABILITIES: [&str; 41] = [
    "chown",
    "dac_override",
    "dac_read_search",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "linux_immutable",
    "net_bind_service",
    "net_broadcast",
    "net_admin",
    "net_raw",
    "ipc_lock",
    "ipc_owner",
    "sys_module",
    "sys_rawio",
    "sys_chroot",
    "sys_ptrace",
    "sys_pacct",
    "sys_admin",
    "sys_boot",
    "sys_nice",
    "sys_resource",
    "sys_time",
    "sys_tty_config",
    "mknod",
    "lease",
    "audit_write",
    "audit_control",
    "setfcap",
    "mac_override",
    "mac_admin",
    "syslog",
    "wake_alarm",
    "block_suspend",
    "audit_read",
    "perfmon",
    "bpf",
    "checkpoint_restore",
];

/// `/proc/self/status`.
pub(super) fn status(root: &HostRoot) -> Keyed<'static> {
    let path = "/proc/self/status";
    Keyed::new(path, root.text(path))
}

pub(super) fn security(root: &HostRoot) -> Security {
    let status = status(root);
    let live = root.calls();
    let text = |key: &str| status.get(key).map(str::to_owned);
    Security {
        seccomp: status.value::<u32>("Seccomp").and_then(|mode| match mode {
            0 => Known::Is("off".into()),
            1 => Known::Is("strict".into()),
            2 => Known::Is("filter".into()),
            mode => Known::unknown(format!("mode {mode} in /proc/self/status")),
        }),
        seccomp_filters: status.value("Seccomp_filters"),
        no_new_privs: status
            .value::<u32>("NoNewPrivs")
            .map(|bit| bit != 0)
            .or_else(|| live.no_new_privs.clone()),
        lsm: root
            .line("/sys/kernel/security/lsm")
            .map(|text| text.split(',').map(str::to_owned).collect()),
        label: root
            .line("/proc/self/attr/current")
            .or_else(|| root.line("/proc/self/attr/apparmor/current")),
        capabilities: capabilities(root, &status),
        user: status
            .get("Uid")
            .and_then(|text| {
                // Real, effective, saved, file system.
                text.split_whitespace()
                    .nth(1)
                    .and_then(|user| user.parse().ok())
                    .map_or_else(
                        || Known::unknown(not_understood("/proc/self/status", text)),
                        Known::Is,
                    )
            })
            .or_else(|| live.user.clone()),
        store_bypass: text("Speculation_Store_Bypass"),
        indirect_branch: text("SpeculationIndirectBranch"),
        perf_event_paranoid: root.value("/proc/sys/kernel/perf_event_paranoid"),
        unprivileged_userfaultfd: root.value("/proc/sys/vm/unprivileged_userfaultfd"),
        tracer_pid: status.value("TracerPid"),
    }
}

fn capabilities(root: &HostRoot, status: &Keyed<'_>) -> Known<Vec<String>> {
    let mask = status
        .get("CapEff")
        .and_then(|text| {
            u64::from_str_radix(text, 16).map_or_else(
                |_| Known::unknown(not_understood("/proc/self/status", text)),
                Known::Is,
            )
        })
        .or_else(|| root.calls().capabilities.clone());
    // The kernel tells the last one that it has; ours may be older or newer.
    let last: u32 = root
        .value("/proc/sys/kernel/cap_last_cap")
        .into_value()
        .unwrap_or(CAPABILITIES.len() as u32 - 1)
        .min(u64::BITS - 1);
    mask.map(|mask| {
        let all = u64::MAX >> (u64::BITS - 1 - last);
        if mask & all == all {
            return vec!["all".to_owned()];
        }
        (0..=last)
            .filter(|bit| mask >> bit & 1 == 1)
            .map(|bit| {
                CAPABILITIES
                    .get(bit as usize)
                    .map_or_else(|| format!("capability {bit}"), |name| (*name).to_owned())
            })
            .collect()
    })
}

pub(super) fn inherited(root: &HostRoot) -> Inherited {
    let status = status(root);
    Inherited {
        timer_slack_ns: root.value("/proc/self/timerslack_ns"),
        personality: root.line("/proc/self/personality"),
        huge_pages: Some(status.value::<u32>("THP_enabled").map(|may| may != 0)),
        open_file_slots: Some(status.value("FDSize")),
    }
}

/// `/proc/self/limits`: name in 26 columns, soft limit, hard limit, unit.
pub(super) fn rlimits(root: &HostRoot) -> Known<BTreeMap<String, Rlimit>> {
    let path = "/proc/self/limits";
    let number = |text: &str| match text {
        "unlimited" => Some(Limit::UNLIMITED),
        number => number.parse().ok().map(Limit::At),
    };
    let limit = |line: &str| {
        let (name, rest) = line.strip_prefix("Max ")?.split_at_checked(22)?;
        let mut words = rest.split_whitespace();
        let soft = number(words.next()?)?;
        let hard = number(words.next()?)?;
        Some((name.trim().to_owned(), Rlimit { soft, hard }))
    };
    root.text(path)
        .and_then(|text| {
            let limits: BTreeMap<String, Rlimit> = text.lines().filter_map(limit).collect();
            if limits.is_empty() {
                Known::unknown(not_understood(path, &text))
            } else {
                Known::Is(limits)
            }
        })
        .or_else(|| root.calls().rlimits.clone())
}

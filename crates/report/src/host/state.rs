//! What can change without buying anything.

use whyslow_model::host::{Known, Limit};
use whyslow_model::state::{CgroupLevel, Frequency, Mount, State};

use super::words::{bytes, cpus, inner, limit, list, on_off, pairs, same, yes_no};
use super::{NAMES, fact, plain};
use crate::numbers;
use crate::page::Screen;
use crate::text::Text;

pub(crate) fn sections(state: &State, page: &mut Screen) {
    kernel(state, page);
    frequency(&state.frequency, page);
    memory(state, page);
    scheduling(state, page);
    limits(state, page);
    rights(state, page);
    programs(state, page);
    now(state, page);
}

fn kernel(state: &State, page: &mut Screen) {
    page.heading("KERNEL", "");
    let kernel = &state.kernel;
    fact(page, "release", &kernel.release, same);
    fact(page, "version", &kernel.version, same);
    fact(page, "compiler", &kernel.compiler, same);
    fact(page, "command line", &kernel.command_line, same);
    fact(page, "tainted", &kernel.tainted, |mask| {
        if *mask == 0 {
            "no".into()
        } else {
            format!("mask {mask}")
        }
    });
    fact(page, "clock source", &state.clocksource.current, same);
    fact(
        page,
        "clock sources",
        &state.clocksource.available,
        |names| list(names),
    );
    // Bugs that this CPU does not have need no line each.
    fact(page, "mitigations", &state.mitigations, |bugs| {
        let here = bugs
            .iter()
            .filter(|(_, what)| !what.starts_with("Not affected"));
        let here: Vec<String> = here.map(|(bug, what)| format!("{bug}: {what}")).collect();
        let others = bugs.len() - here.len();
        let others = if others > 0 {
            vec![format!("not affected by {others} more")]
        } else {
            vec![]
        };
        [here, others].concat().join(" | ")
    });
    fact(page, "configuration", &kernel.config, |config| {
        format!(
            "{} ({})",
            config
                .options
                .iter()
                .map(|(k, v)| if v == "y" {
                    k.clone()
                } else {
                    format!("{k}={v}")
                })
                .collect::<Vec<_>>()
                .join(" "),
            config.source
        )
    });
}

fn frequency(frequency: &Frequency, page: &mut Screen) {
    page.heading("CLOCK AND SLEEP", "");
    let mhz = |known: &Known<u64>| inner(known, |khz| format!("{}", khz / 1000));
    match &frequency.policies {
        Known::Is(policies) => {
            for p in policies {
                let text = format!(
                    "governor {}, {} to {} MHz, driver {}, preference {}; {}",
                    inner(&p.governor, same),
                    mhz(&p.min_khz),
                    mhz(&p.max_khz),
                    inner(&p.driver, same),
                    inner(&p.energy_preference, same),
                    cpus(&p.cpus),
                );
                plain(page, "policy", text);
            }
        }
        Known::Unknown(why) => page.field(
            0,
            NAMES,
            "policies",
            Text::dim(format!("unknown: {}", why.unknown)),
        ),
    }
    fact(page, "boost", &frequency.boost, on_off);
    fact(page, "pstate", &frequency.pstate_status, same);
    fact(page, "idle driver", &frequency.idle_driver, same);
    fact(page, "idle governor", &frequency.idle_governor, same);
    fact(page, "idle states", &frequency.idle_states, |states| {
        let each = states.iter().map(|s| {
            let off = if s.disabled.value() == Some(&true) {
                ", off"
            } else {
                ""
            };
            format!("{} ({} µs{off})", s.name, inner(&s.exit_latency_us, same))
        });
        each.collect::<Vec<_>>().join(", ")
    });
}

fn memory(state: &State, page: &mut Screen) {
    page.heading("MEMORY", "");
    let memory = &state.memory;
    fact(page, "THP", &memory.thp.enabled, same);
    fact(page, "THP defrag", &memory.thp.defrag, same);
    fact(page, "THP for shared memory", &memory.thp.shmem, same);
    fact(page, "THP sizes (KiB)", &memory.thp.sizes, pairs);
    let khugepaged = format!(
        "{} pages every {} ms, defrag {}, up to {} empty pages",
        inner(&memory.thp.khugepaged_pages_to_scan, same),
        inner(&memory.thp.khugepaged_scan_sleep_ms, same),
        inner(&memory.thp.khugepaged_defrag, same),
        inner(&memory.thp.khugepaged_max_ptes_none, same),
    );
    plain(page, "khugepaged", khugepaged);
    fact(page, "hugetlb", &memory.hugetlb, |pools| {
        let each = pools.iter().map(|p| {
            format!(
                "{}: {} pages, {} free",
                bytes(&p.page_bytes),
                inner(&p.pages, same),
                inner(&p.free, same)
            )
        });
        each.collect::<Vec<_>>().join("; ")
    });
    fact(page, "KSM", &memory.ksm.run, |run| match run {
        0 => "stopped".into(),
        1 => "running".into(),
        other => format!("{other}"),
    });
    fact(page, "NUMA balancing", &memory.numa_balancing, same);
    fact(page, "swap", &memory.swap, |areas| {
        areas
            .iter()
            .map(|a| format!("{} ({}, {})", a.path, a.backing, bytes(&a.size_bytes)))
            .collect::<Vec<_>>()
            .join(", ")
    });
    fact(page, "zswap", &memory.zswap, on_off);
    fact(page, "swappiness", &memory.swappiness, same);
    fact(page, "ASLR", &memory.aslr, same);
    fact(page, "overcommit", &memory.overcommit, same);
    fact(page, "zone reclaim", &memory.zone_reclaim, same);
    fact(page, "multi-gen LRU", &memory.lru_gen, same);
    if let Some(reporting) = &memory.page_reporting {
        fact(page, "free page reporting", reporting, on_off);
    }
}

fn scheduling(state: &State, page: &mut Screen) {
    page.heading("SCHEDULING", "");
    let cpu = &state.cpus;
    fact(page, "usable", &cpu.usable, cpus);
    fact(page, "affinity", &cpu.affinity, cpus);
    fact(page, "isolated", &cpu.isolated, cpus);
    fact(page, "without a tick", &cpu.nohz_full, cpus);
    fact(page, "SMT", &cpu.smt_control, same);
    fact(page, "interrupts go to", &cpu.irq_affinity, |mask| {
        format!("mask {mask}")
    });
    let scheduler = &state.scheduler;
    fact(page, "ticks a second", &scheduler.hz, same);
    fact(page, "preemption", &scheduler.preemption, same);
    fact(page, "policy", &scheduler.policy, same);
    fact(page, "nice", &scheduler.nice, same);
    fact(page, "features", &scheduler.features, same);
    fact(page, "settings", &scheduler.settings, pairs);
    fact(page, "BPF scheduler", &scheduler.sched_ext, same);
    fact(page, "timer migration", &scheduler.timer_migration, same);
    fact(page, "NMI watchdog", &scheduler.nmi_watchdog, same);
}

fn limits(state: &State, page: &mut Screen) {
    page.heading("LIMITS", "");
    let cgroup = &state.cgroup;
    fact(page, "cgroup version", &cgroup.version, same);
    fact(page, "CPU quota", &cgroup.cpu_quota, |quota| {
        limit(quota, |cpus| format!("{} CPUs", numbers::number(cpus)))
    });
    fact(page, "cgroup CPUs", &cgroup.cpuset, cpus);
    fact(page, "cgroup nodes", &cgroup.memory_nodes, same);
    fact(page, "cgroup memory", &cgroup.memory_bytes, |memory| {
        limit(memory, |b| bytes(&b))
    });
    match &cgroup.levels {
        Known::Is(levels) => {
            for level in levels {
                let text = level_text(level);
                if !text.is_empty() {
                    plain(page, "cgroup", format!("{}: {text}", level.path));
                }
            }
        }
        Known::Unknown(why) => page.field(
            0,
            NAMES,
            "cgroups",
            Text::dim(format!("unknown: {}", why.unknown)),
        ),
    }
    // Limits that do not limit need no place.
    fact(page, "resource limits", &state.rlimits, |limits| {
        let set = limits
            .iter()
            .filter_map(|(name, l)| Some(format!("{name} {}", l.soft.at()?)));
        set.collect::<Vec<_>>().join(", ")
    });
}

/// The limits of one group, without those that are not set.
fn level_text(level: &CgroupLevel) -> String {
    fn one<T: Copy>(
        name: &str,
        known: Option<&Known<Limit<T>>>,
        text: impl Fn(T) -> String,
    ) -> Option<String> {
        match known? {
            Known::Is(limit) => Some(format!("{name} {}", text(limit.at()?))),
            Known::Unknown(why) => Some(format!("{name} unknown ({})", why.unknown)),
        }
    }
    let memory = |b: u64| bytes(&b);
    let parts = [
        one("CPU quota", level.cpu_quota.as_ref(), numbers::number),
        level
            .cpu_weight
            .as_ref()
            .map(|w| format!("CPU weight {}", inner(w, same))),
        level
            .cpuset
            .as_ref()
            .map(|set| format!("CPUs {}", inner(set, same))),
        one("memory", level.memory_max.as_ref(), memory),
        one("memory high", level.memory_high.as_ref(), memory),
        one("swap", level.swap_max.as_ref(), memory),
        one("processes", level.pids_max.as_ref(), numbers::count),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn rights(state: &State, page: &mut Screen) {
    page.heading("RIGHTS", "");
    let security = &state.security;
    fact(page, "user", &security.user, same);
    fact(page, "seccomp", &security.seccomp, same);
    fact(page, "seccomp filters", &security.seccomp_filters, same);
    fact(page, "no new privileges", &security.no_new_privs, yes_no);
    fact(page, "security modules", &security.lsm, |names| list(names));
    fact(page, "label", &security.label, same);
    fact(page, "capabilities", &security.capabilities, |names| {
        list(names)
    });
    fact(page, "store bypass", &security.store_bypass, same);
    fact(page, "indirect branches", &security.indirect_branch, same);
    fact(
        page,
        "perf events",
        &security.perf_event_paranoid,
        |level| format!("paranoid {level}"),
    );
    fact(
        page,
        "userfaultfd for all",
        &security.unprivileged_userfaultfd,
        |v| yes_no(&(*v == 1)),
    );
    fact(page, "traced by", &security.tracer_pid, |pid| {
        if *pid == 0 {
            "no process".into()
        } else {
            format!("process {pid}")
        }
    });
}

fn programs(state: &State, page: &mut Screen) {
    page.heading("PROGRAMS", "");
    let libc = &state.libc;
    fact(page, "libc", &libc.version, same);
    fact(page, "loader", &libc.loader, same);
    fact(page, "libc's caches", &libc.caches, pairs);
    fact(page, "libc's tunables", &libc.tunables, pairs);
    if let Some(routines) = &libc.routines {
        fact(page, "libc's routines", routines, pairs);
    }
    plain(page, "whyslow linked", &libc.own);
    let mount = |m: &Mount| {
        format!(
            "{} on {} ({}; {})",
            m.fs,
            m.at,
            m.source,
            m.options.join(",")
        )
    };
    fact(page, "working folder", &state.mounts.work, mount);
    fact(page, "temporary folder", &state.mounts.temporary, mount);
    let environment = &state.environment;
    plain(
        page,
        "environment",
        format!(
            "{} variables, {} bytes",
            environment.count, environment.bytes
        ),
    );
    if !environment.locale.is_empty() {
        plain(page, "language", pairs(&environment.locale));
    }
    if !environment.steering.is_empty() {
        plain(page, "steered by", pairs(&environment.steering));
    }
}

fn now(state: &State, page: &mut Screen) {
    page.heading("NOW", "");
    let now = &state.now;
    fact(page, "available memory", &now.memory_available_bytes, bytes);
    let budget = match &now.memory_budget_by {
        Known::Is(by) => format!(" ({by})"),
        Known::Unknown(_) => String::new(),
    };
    fact(page, "memory for a run", &now.memory_budget_bytes, |b| {
        format!("{}{budget}", bytes(b))
    });
    fact(page, "swap in use", &now.swap_used_bytes, bytes);
    fact(page, "load", &now.load, |load| {
        load.map(|l| format!("{l:.2}")).join(" ")
    });
    fact(page, "runnable", &now.runnable_tasks, |n| {
        numbers::counted((*n).into(), "task", "tasks")
    });
    fact(page, "up", &now.uptime_s, |s| match *s {
        s if s < 7200.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} hours", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    });
    fact(
        page,
        "stolen since boot",
        &now.steal_share_since_boot,
        |share| numbers::percent(*share),
    );
}

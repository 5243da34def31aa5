//! The host and the run in four entries.

use whyslow_model::host::{CacheKind, Host, Known};
use whyslow_model::record::{End, FailureKind, Outcome};
use whyslow_model::state::State;

use crate::numbers::{self, counted};
use crate::page::Screen;
use crate::text::{TIE, Text};
use crate::view::{BESIDE, View, mark};

pub(crate) fn section(view: &View<'_>, page: &mut Screen) {
    for (name, text) in entries(view) {
        page.field(0, 7, name, Text::plain(text));
    }
}

/// The entries, each a name and a text; none for published figures.
pub(crate) fn entries(view: &View<'_>) -> Vec<(&'static str, String)> {
    let mut entries = Vec::new();
    if view.record.origin.is_some() {
        return entries;
    }
    match view.host() {
        Some(host) => {
            entries.push(("machine", machine(host)));
            entries.push(("under", under(host)));
        }
        None => entries.push((
            "machine",
            "not in the record: the run ended before the host was read".into(),
        )),
    }
    if let Some(state) = view.state() {
        entries.push(("system", system(state)));
    }
    entries.push(("run", run(view)));
    entries
}

fn machine(host: &Host) -> String {
    let name = host.name.value().map_or("(no name)", String::as_str);
    let kinds = match &host.cpu.kinds {
        Known::Is(kinds) => {
            let each = kinds.iter().map(|kind| {
                let name = kind.name.value().map_or("unnamed CPU", |n| n.trim());
                match kinds.len() {
                    1 => name.to_owned(),
                    _ => format!("{} x {name}", kind.cpus.len()),
                }
            });
            let mut text = each.collect::<Vec<_>>().join(" + ");
            if let [kind] = kinds.as_slice()
                && let (Some(family), Some(model)) = (kind.family.value(), kind.model.value())
            {
                text += &format!(" (family {family}, model {model})");
            }
            text
        }
        Known::Unknown(why) => format!("CPU unknown ({})", why.unknown),
    };
    let mut parts = vec![format!("{name}: {kinds}"), size(host)];
    if let Some(caches) = host.caches.value() {
        let data = caches.iter().filter(|c| c.kind != CacheKind::Instruction);
        parts.extend(data.filter_map(|cache| {
            let many = match cache.shared.value().map_or(1, Vec::len) {
                n if n > 1 && cache.level > 2 => format!("{n} x "),
                _ => String::new(),
            };
            Some(format!(
                "L{}{TIE}{many}{}",
                cache.level,
                numbers::size(*cache.size_bytes.value()?)
            ))
        }));
    }
    if let Some(&bytes) = host.memory.total_bytes.value() {
        parts.push(format!("{} memory", numbers::size(bytes)));
    }
    parts.join(", ")
}

/// CPUs, with packages, nodes and threads where there are several.
fn size(host: &Host) -> String {
    let topology = &host.topology;
    let mut text = match &topology.online {
        Known::Is(set) => counted(set.len() as u64, "CPU", "CPUs"),
        Known::Unknown(_) => "CPUs unknown".into(),
    };
    let several = |n: usize, what: &str| {
        if n > 1 {
            format!("{n} {what}")
        } else {
            String::new()
        }
    };
    let more: Vec<String> = [
        several(topology.packages.value().map_or(0, Vec::len), "packages"),
        several(topology.nodes.value().map_or(0, Vec::len), "nodes"),
        several(
            topology.threads_per_core.value().map_or(0, |n| *n as usize),
            "threads a core",
        ),
    ]
    .into_iter()
    .filter(|s| !s.is_empty())
    .collect();
    if !more.is_empty() {
        text += &format!(" ({})", more.join(", "));
    }
    text
}

/// Is it a guest, and whose?
pub(crate) fn guest(host: &Host) -> String {
    let hypervisor = &host.hypervisor;
    match (&hypervisor.guest, hypervisor.name.value()) {
        (Known::Is(true), Some(name)) => format!("{name} guest"),
        (Known::Is(true), None) => "a guest; the hypervisor does not name itself".into(),
        (Known::Is(false), _) => "no hypervisor".into(),
        (Known::Unknown(why), _) => format!("guest or not is unknown ({})", why.unknown),
    }
}

fn under(host: &Host) -> String {
    let hypervisor = &host.hypervisor;
    let mut parts = vec![guest(host)];
    if let Some(container) = hypervisor.container.value() {
        parts.push(format!("container {container}"));
    }
    let machine = [&host.machine.vendor, &host.machine.product];
    let machine: Vec<&str> = machine
        .iter()
        .filter_map(|k| k.value().map(|v| v.trim()))
        .collect();
    parts.push(match machine.is_empty() {
        false => machine.join(" "),
        true => "maker not visible".into(),
    });
    parts.join("; ")
}

fn system(state: &State) -> String {
    let mut parts = Vec::new();
    parts.push(match &state.kernel.release {
        Known::Is(release) => format!("Linux {release}"),
        Known::Unknown(why) => format!("kernel unknown ({})", why.unknown),
    });
    parts.push(
        state
            .libc
            .version
            .value()
            .map_or("libc unknown".into(), |v| libc(v)),
    );
    parts.push(format!(
        "THP {}",
        state.memory.thp.enabled.value().map_or("unknown", |t| t)
    ));
    parts.push(governor(state));
    parts.push(format!(
        "clock {}",
        state
            .clocksource
            .current
            .value()
            .map_or("source unknown", |c| c)
    ));
    parts.push(mitigations(state));
    if let Some(quota) = state.cgroup.cpu_quota.value().and_then(|q| q.at()) {
        parts.push(format!("cgroup limit {} CPUs", numbers::number(quota)));
    }
    if let Some(bytes) = state.cgroup.memory_bytes.value().and_then(|m| m.at()) {
        parts.push(format!("cgroup limit {}", numbers::size(bytes)));
    }
    parts.join(", ")
}

/// `glibc 2.36` from the line that the loader prints of itself; other libraries' own words.
pub(crate) fn libc(version: &str) -> String {
    match version.rsplit_once("release version ") {
        Some((_, number)) if version.contains("GLIBC") || version.contains("GNU") => {
            format!("glibc {}", number.trim_end_matches('.'))
        }
        _ => version.chars().take(40).collect(),
    }
}

fn governor(state: &State) -> String {
    match &state.frequency.policies {
        Known::Is(policies) => {
            let mut names: Vec<&str> = policies
                .iter()
                .filter_map(|p| p.governor.value().map(String::as_str))
                .collect();
            names.dedup();
            match names.is_empty() {
                true => "governor unknown".into(),
                false => format!("governor {}", names.join(" and ")),
            }
        }
        Known::Unknown(_) => "governor not visible".into(),
    }
}

fn mitigations(state: &State) -> String {
    let Some(bugs) = state.mitigations.value() else {
        return "mitigations unknown".into();
    };
    let with = |word: &str| bugs.values().filter(|v| v.starts_with(word)).count();
    match (with("Mitigation"), with("Vulnerable")) {
        (0, 0) => "no CPU bugs to mitigate".into(),
        (on, 0) => format!("{on} CPU bugs mitigated"),
        (on, open) => format!("{on} CPU bugs mitigated, {open} left open"),
    }
}

fn run(view: &View<'_>) -> String {
    let header = &view.record.header;
    let minute = header
        .started
        .get(..16)
        .unwrap_or(&header.started)
        .replace('T', " ");
    let processes = match view.process_range() {
        None => "nothing measured".to_owned(),
        Some((few, many)) if few == many => counted(many, "process a point", "processes a point"),
        Some((few, many)) => format!("{few} to {many} processes a point"),
    };
    let mut parts = vec![format!(
        "{}, {minute} UTC, {} s, {processes}{}",
        header.intensity,
        seconds(view.seconds()),
        ended(view),
    )];
    let [samples, left_out, beside] = view.samples();
    if samples > 0 {
        parts.push(left_out_why(view, samples, left_out, beside));
    }
    parts.extend(failed(view));
    parts.push(neighbours(view));
    parts.extend(crate::numbers::moderated(view.summary.moderated_over));
    parts.join("; ")
}

/// Whole seconds, or tenths of a short run.
fn seconds(seconds: f64) -> String {
    if seconds < 10.0 {
        format!("{seconds:.1}")
    } else {
        format!("{seconds:.0}")
    }
}

/// Where it did not go its whole way, why.
fn ended(view: &View<'_>) -> String {
    let rounds = view.reached();
    match view.record.footer.as_ref().map(|f| f.end) {
        Some(End::Complete) => String::new(),
        Some(End::Budget) => format!(" (time was up {rounds})"),
        Some(End::Interrupted) => format!(" (interrupted {rounds})"),
        None => format!(" (unfinished, {rounds})"),
    }
}

fn left_out_why(view: &View<'_>, samples: u64, left_out: u64, beside: u64) -> String {
    let share = numbers::percent(left_out as f64 / samples as f64);
    let text = format!("{share} of {} samples left out", numbers::count(samples));
    let marks = view.marks().into_iter();
    let mut marks: Vec<(&str, u64)> = marks.map(|(kind, n)| (mark(kind), n)).collect();
    marks.extend((beside > 0).then_some((BESIDE, beside)));
    marks.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let marks = marks.iter();
    let marks: Vec<String> = marks
        .map(|(what, n)| format!("{what} {}", numbers::count(*n)))
        .collect();
    match left_out > 0 && !marks.is_empty() {
        true => format!("{text} ({})", marks.join(", ")),
        false => text,
    }
}

fn failed(view: &View<'_>) -> Option<String> {
    let broken = view.record.processes.iter().filter(|p| match &p.outcome {
        Outcome::Failed(failure) => failure.how != FailureKind::Unavailable,
        Outcome::Draws(_) => false,
    });
    let count = broken.count() as u64;
    (count > 0).then(|| format!("{} failed", counted(count, "process", "processes")))
}

fn neighbours(view: &View<'_>) -> String {
    let Some(neighbours) = &view.record.neighbours else {
        return "who else used CPU is not recorded".into();
    };
    let others = match &neighbours.others_cpu_s {
        Known::Is(seconds) => format!("others used {} s of CPU", numbers::rough(*seconds)),
        Known::Unknown(why) => format!("what others used is unknown ({})", why.unknown),
    };
    match neighbours.top.value().and_then(|top| top.first()) {
        Some(first) if first.cpu_s > 0.0 => {
            format!(
                "{others} (most: {} {} s)",
                first.comm,
                numbers::rough(first.cpu_s)
            )
        }
        _ => others,
    }
}

//! The run itself: how it ended, who disturbed it, what it could not see.

use std::collections::BTreeMap;

use whyslow_model::Point;
use whyslow_model::host::Known;
use whyslow_model::id;
use whyslow_model::record::{End, FailureKind, MarkKind, Outcome};
use whyslow_model::state::diff;

use super::{Finding, Rank, some, why};
use crate::numbers::{counted, percent, rough, short};
use crate::view::View;

/// A build whose numbers are not the machine's.
pub(super) fn build(view: &View<'_>) -> Option<Finding> {
    if view.record.origin.is_some() {
        return None;
    }
    let build = &view.record.header.build;
    if build.profile != "release" {
        return Finding::new(
            Rank::Doubt,
            format!(
                "Measured with a {} build: the numbers say little about the machine. Use --release.",
                build.profile
            ),
        );
    }
    if build.kernels == "portable" {
        return Finding::new(
            Rank::Doubt,
            format!(
                "There are no measured loops in assembly for {}: the compiler had a hand in these numbers.",
                build.arch
            ),
        );
    }
    None
}

/// The run did not go its whole way.
pub(super) fn ended_early(view: &View<'_>) -> Option<Finding> {
    let rounds = view.reached();
    let go_on = match view.record.header.suite.as_str() {
        "load" => "",
        _ if !view.record.header.against.is_empty() => "",
        _ => "; --resume goes on with it",
    };
    let text = match view.record.footer.as_ref().map(|f| f.end) {
        Some(End::Complete) => return None,
        Some(End::Budget) => {
            format!("The time was up {rounds}: intervals are wider than planned.")
        }
        Some(End::Interrupted) => {
            format!("The run was interrupted {rounds}{go_on}.")
        }
        None => format!(
            "The record has no end (a run that was killed, or that still goes on), {rounds}{go_on}."
        ),
    };
    Finding::new(Rank::Doubt, text)
}

/// Workers that crashed, hung, or brought impossible numbers.
pub(super) fn broken(view: &View<'_>) -> Option<Finding> {
    let mut kinds: BTreeMap<&str, (u64, String)> = BTreeMap::new();
    for process in &view.record.processes {
        let Outcome::Failed(failure) = &process.outcome else {
            continue;
        };
        let kind = match failure.how {
            FailureKind::Unavailable => continue,
            FailureKind::Refused => "refused by a guard",
            FailureKind::Crashed => "crashed",
            FailureKind::Hung => "hung",
        };
        let first = || (0, format!("{}: {}", process.point, failure.why));
        kinds.entry(kind).or_insert_with(first).0 += 1;
    }
    if kinds.is_empty() {
        return None;
    }
    let each: Vec<String> = kinds
        .iter()
        .map(|(kind, (n, first))| format!("{n} {kind} (first {first})"))
        .collect();
    let total = kinds.values().map(|(n, _)| n).sum();
    Finding::new(
        Rank::Doubt,
        format!(
            "{} brought nothing: {}.",
            counted(total, "process", "processes"),
            each.join("; ")
        ),
    )
}

/// Settings that were not the same at both ends of the run.
pub(super) fn state_changed(view: &View<'_>) -> Option<Finding> {
    let [first, .., last] = view.record.states.as_slice() else {
        return None;
    };
    let changes = diff(&first.state, &last.state);
    if changes.is_empty() {
        return None;
    }
    // Whole lists as JSON would fill the page.
    let brief = |text: &str| match text.chars().count() {
        0..=40 => text.to_owned(),
        _ => text.chars().take(37).chain("...".chars()).collect(),
    };
    let each: Vec<String> = changes
        .iter()
        .map(|c| {
            format!(
                "{} from {} to {}",
                c.what,
                brief(&c.before),
                brief(&c.after)
            )
        })
        .collect();
    Finding::new(
        Rank::Doubt,
        format!(
            "The state changed during the run: {}.",
            some(&each, 3, "; ")
        ),
    )
}

/// The hypervisor took CPU time.
pub(super) fn steal(view: &View<'_>) -> Option<Finding> {
    /// Share of CPU time below which the marks of single samples say enough.
    const SEEN: f64 = 0.002;
    let share = view.record.neighbours.as_ref()?.host.value()?.steal;
    if share < SEEN {
        return None;
    }
    let marked = view.marked(&[MarkKind::StealTicks, MarkKind::StolenNs]);
    let text = format!(
        "The hypervisor took {} of the CPU time; {} marked by it and left out.",
        percent(share),
        if marked == 1 {
            "1 sample was".to_owned()
        } else {
            format!("{marked} samples were")
        },
    );
    Finding::new(Rank::Doubt, text)
}

/// Other processes used CPU time.
pub(super) fn neighbours(view: &View<'_>) -> Option<Finding> {
    /// Share of the host's CPU time from which others disturb.
    const SEEN: f64 = 0.02;
    let neighbours = view.record.neighbours.as_ref()?;
    let others = *neighbours.others_cpu_s.value()?;
    let share = others / neighbours.host.value()?.total_s;
    if !share.is_finite() || share < SEEN {
        return None;
    }
    let top: Vec<String> = neighbours
        .top
        .value()
        .into_iter()
        .flatten()
        .map(|n| format!("{} (process {}) {} s", n.comm, n.pid, rough(n.cpu_s)))
        .collect();
    let names = if top.is_empty() {
        String::new()
    } else {
        format!(": {}", top.join(", "))
    };
    Finding::new(
        Rank::Doubt,
        format!(
            "Other processes used {} of the CPU time{names}.",
            percent(share)
        ),
    )
}

/// What was asked for and cannot be measured here.
pub(super) fn skipped(view: &View<'_>) -> Option<Finding> {
    let skipped = &view.record.plan.skipped;
    if skipped.is_empty() {
        return None;
    }
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for skip in skipped {
        match reasons.iter_mut().find(|(why, _)| *why == skip.why) {
            Some((_, whats)) => whats.push(&skip.what),
            None => reasons.push((&skip.why, vec![&skip.what])),
        }
    }
    let each: Vec<String> = reasons
        .iter()
        .map(|(why, whats)| format!("{} ({why})", by_probe(whats)))
        .collect();
    Finding::new(
        Rank::Unseen,
        format!("Not measured here: {}.", some(&each, 4, "; ")),
    )
}

/// What was left out, one after the other; of a probe with many points only what they have in common.
fn by_probe(whats: &[&str]) -> String {
    /// Points of one probe that are named one by one.
    const NAMED: usize = 2;
    let mut probes: Vec<(String, Vec<Point>)> = Vec::new();
    for what in whats {
        // What cannot be read as a point is named as it is written.
        let point = what.parse().unwrap_or_else(|_| Point::new(what));
        match probes.iter_mut().find(|(probe, _)| *probe == point.probe) {
            Some((_, points)) => points.push(point),
            None => probes.push((point.probe.clone(), vec![point])),
        }
    }
    let named = probes.iter().flat_map(|(probe, points)| {
        if points.len() <= NAMED {
            return points.iter().map(Point::to_string).collect();
        }
        let everywhere = |(name, value): &&(String, String)| {
            points.iter().all(|p| p.get(name) == Some(value.as_str()))
        };
        let common = Point {
            probe: probe.clone(),
            params: points[0]
                .params
                .iter()
                .filter(everywhere)
                .cloned()
                .collect(),
        };
        vec![format!("{} points of {common}", points.len())]
    });
    named.collect::<Vec<_>>().join(", ")
}

/// How the clock is set is unknown.
pub(super) fn clock_unseen(view: &View<'_>) -> Option<Finding> {
    let policies = &view.state()?.frequency.policies;
    let Known::Unknown(_) = policies else {
        return None;
    };
    let clock = view
        .find(id::CPU_CLOCK, &[])
        .and_then(|p| Some((p, p.value.as_ref()?)));
    let text = format!(
        "How the clock is set cannot be seen here ({}){}.",
        why(policies),
        clock.map_or(String::new(), |(p, v)| format!(
            "; under load it ran at {}",
            short(p.unit, v)
        )),
    );
    Finding::new(Rank::Unseen, text)
}

//! Where the CPUs were to each other.

use whyslow_model::Point;
use whyslow_model::id;
use whyslow_model::summary::{ClassSummary, Interval, PointSummary};

use super::{Finding, Rank, some};
use crate::numbers::{counted, number, short, times};
use crate::view::View;

/// The classes of core-to-core latency that were seen, nearest first.
fn seen<'a>(view: &View<'a>) -> Vec<&'a ClassSummary> {
    let mut seen: Vec<&ClassSummary> = Vec::new();
    for class in view
        .summary
        .points
        .iter()
        .flat_map(|p| &p.classes)
        .filter(|c| c.class != "moved")
    {
        if !seen.iter().any(|c| c.class == class.class) {
            seen.push(class);
        }
    }
    seen.sort_by(|a, b| a.handover_ns.total_cmp(&b.handover_ns));
    seen
}

/// The CPUs changed their places during the run, as only a hypervisor can make them.
pub(super) fn moves(view: &View<'_>) -> Option<Finding> {
    let moves = view.summary.topology_moves;
    if moves == 0 {
        return None;
    }
    let classes: Vec<String> = seen(view)
        .iter()
        .map(|c| format!("{} {} ns", c.class, number(c.handover_ns)))
        .collect();
    let how = if classes.is_empty() {
        String::new()
    } else {
        format!(" (core to core {})", classes.join(", "))
    };
    let times = counted(moves.into(), "time", "times");
    let what = match together(view) {
        Some(Together { point, all, one }) if all < ONE_CORE * one => format!(
            "The CPUs moved {times} during the run{how}. Near, they are two threads of one core: {point} is {} GB/s, \
             and {} with one of them.",
            number(all),
            number(one)
        ),
        Some(Together { all, one, .. }) if all > TWO_CORES * one => {
            format!("The CPUs changed L3 complex (or socket) {times} during the run{how}.")
        }
        _ => format!("The CPUs moved nearer to each other or farther {times} during the run{how}."),
    };
    Finding::new(
        Rank::Moved,
        format!("{what} Points on several CPUs are shown by class, never averaged."),
    )
}

/// Two CPUs that use a core's own cache at less than this many times the rate of one have one such cache
/// between them, and at more than that many have one each: then what is farther is beyond a cache that
/// cores share. Two threads of a core make 1.0 to 1.1, two cores 1.8 to 2.0.
const ONE_CORE: f64 = 1.3;
const TWO_CORES: f64 = 1.6;

/// How fast a core's own cache is used, GB/s: by two CPUs at their nearest, and by one.
struct Together {
    /// The point of all CPUs.
    point: String,
    all: f64,
    one: f64,
}

/// What two CPUs do where nearest; of more CPUs a whole says nothing of the nearest two.
fn together(view: &View<'_>) -> Option<Together> {
    let near = |class: &&ClassSummary| class.class == "near";
    let points = &view.summary.points;
    let private = |p: &Point, cpus| {
        p.probe == id::MEM_BANDWIDTH
            && matches!(p.get("level"), Some("L1" | "L2"))
            && p.get("cpus") == Some(cpus)
    };
    let alike = |a: &Point, b: &Point| ["op", "level"].iter().all(|k| a.get(k) == b.get(k));
    let mut shared = points.iter().filter(|p| private(&p.point, "all"));
    shared.find_map(|all| {
        let ran = view
            .record
            .processes
            .iter()
            .find(|p| p.point == all.point)?;
        let one = |p: &&PointSummary| private(&p.point, "1") && alike(&p.point, &all.point);
        let one = points.iter().find(one)?;
        (ran.randomization.cpus.len() == 2).then_some(Together {
            point: all.point.to_string(),
            all: all.classes.iter().find(near)?.value.value,
            one: one.value?.value,
        })
    })
}

/// Does `most` begin beyond where `least` ends?
fn apart(least: &Interval, most: &Interval) -> bool {
    let ends = least.range.zip(most.range);
    ends.is_some_and(|([_, high], [low, _])| high < low)
}

/// A point that is much slower in one class of places than in another.
pub(super) fn classes(view: &View<'_>) -> Option<Finding> {
    /// Ratio from which a class is worth a line.
    const APART: f64 = 1.25;
    let mut found: Vec<(f64, String)> = Vec::new();
    // The way between the CPUs is what the classes are made of.
    let depends = |p: &&PointSummary| p.value.is_none() && p.point.probe != id::CPU_CORE_TO_CORE;
    for point in view.summary.points.iter().filter(depends) {
        // One process says nothing of how far apart the places are.
        let settled = || {
            let all = point.classes.iter();
            all.filter(|c| c.class != "moved" && c.value.range.is_some())
        };
        let least = settled().min_by(|a, b| a.value.value.total_cmp(&b.value.value));
        let most = settled().max_by(|a, b| a.value.value.total_cmp(&b.value.value));
        let Some((least, most)) = least
            .zip(most)
            .filter(|(l, m)| l.value.value > 0.0 && apart(&l.value, &m.value))
        else {
            continue;
        };
        let ratio = most.value.value / least.value.value;
        let value = |c: &ClassSummary| format!("{} {}", c.class, short(point.unit, &c.value));
        found.push((
            ratio,
            format!(
                "{} {} times ({}, {})",
                point.point,
                times(ratio),
                value(most),
                value(least)
            ),
        ));
    }
    found.retain(|(ratio, _)| *ratio >= APART);
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    if found.is_empty() {
        return None;
    }
    let lines: Vec<String> = found.into_iter().map(|(_, line)| line).collect();
    Finding::new(
        Rank::Moved,
        format!("It matters where the CPUs are: {}.", some(&lines, 2, "; ")),
    )
}

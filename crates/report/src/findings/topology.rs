//! Where the CPUs were to each other.

use whyslow_model::summary::ClassSummary;

use super::{Finding, Rank, some};
use crate::numbers::{counted, number, short, times};
use crate::view::View;

/// The classes of hand-over that were seen, nearest first.
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
        format!(" (hand-over {})", classes.join(", "))
    };
    let times = counted(moves.into(), "time", "times");
    Finding::new(
        Rank::Moved,
        format!(
            "The CPUs changed L3 complex (or socket) {times} during the run{how}. Points on several CPUs are shown by class, never averaged."
        ),
    )
}

/// A point that is much slower in one class of places than in another.
pub(super) fn classes(view: &View<'_>) -> Option<Finding> {
    /// Ratio from which a class is worth a line.
    const APART: f64 = 1.25;
    let mut found: Vec<(f64, String)> = Vec::new();
    for point in view.summary.points.iter().filter(|p| p.value.is_none()) {
        let settled = || point.classes.iter().filter(|c| c.class != "moved");
        let least = settled().min_by(|a, b| a.value.value.total_cmp(&b.value.value));
        let most = settled().max_by(|a, b| a.value.value.total_cmp(&b.value.value));
        let Some((least, most)) = least
            .zip(most)
            .filter(|(l, m)| l.value.value > 0.0 && l.class != m.class)
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

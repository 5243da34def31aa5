//! How the numbers vary.

use whyslow_model::summary::PointSummary;

use super::{Finding, Rank, some};
use crate::numbers::{count, counted, full, percent, relative, short};
use crate::text::TIE;
use crate::view::View;

/// Half an interval over its value from which a point is called wide.
pub(crate) const WIDE: f64 = 0.10;

/// Process values that fall into groups.
pub(super) fn modes(view: &View<'_>) -> Option<Finding> {
    let points: Vec<&PointSummary> = view
        .summary
        .points
        .iter()
        .filter(|p| p.modes.len() > 1)
        .collect();
    if points.is_empty() {
        return None;
    }
    let each: Vec<String> = points
        .iter()
        .map(|p| {
            let modes = p.modes.iter().map(|m| {
                let value = whyslow_model::summary::Interval {
                    value: m.value,
                    range: None,
                };
                format!(
                    "{} near {}",
                    m.processes,
                    short(p.unit, &value).replace(TIE, " ")
                )
            });
            format!("{} ({})", p.point, modes.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let head = counted(points.len() as u64, "point has", "points have");
    Finding::new(
        Rank::Spread,
        format!(
            "{head} processes that fall into groups: {}.",
            some(&each, 3, "; ")
        ),
    )
}

/// Half of a point's interval over its value; of a difference, over what it was taken from: a
/// difference near nothing is not badly known.
pub(crate) fn share(point: &PointSummary) -> Option<f64> {
    let value = point.value.as_ref()?;
    let is_difference = point.from.is_none() && point.series.len() > 1;
    let largest = point
        .series
        .iter()
        .map(|s| s.value.value)
        .fold(0.0, f64::max);
    match (is_difference, value.range) {
        (true, Some([lo, hi])) if largest > 0.0 => Some((hi - lo) / 2.0 / largest),
        _ => relative(value),
    }
}

/// Points known to no better than 10 %.
pub(super) fn wide(view: &View<'_>) -> Option<Finding> {
    let mut wide: Vec<(f64, &PointSummary)> = view
        .summary
        .points
        .iter()
        .filter_map(|p| Some((share(p)?, p)))
        .filter(|(share, _)| *share > WIDE)
        .collect();
    if wide.is_empty() {
        return None;
    }
    wide.sort_by(|a, b| b.0.total_cmp(&a.0));
    let valued = view
        .summary
        .points
        .iter()
        .filter(|p| p.value.is_some())
        .count() as u64;
    let each: Vec<String> = wide
        .iter()
        .filter_map(|(_, p)| {
            Some(format!(
                "{} {}",
                p.point,
                full(p.unit, p.value.as_ref()?).text()
            ))
        })
        .take(3)
        .collect();
    let text = format!(
        "{} of {} with a value {} known to no better than ±10 %, worst: {}.{}",
        count(wide.len() as u64),
        counted(valued, "point", "points"),
        if wide.len() == 1 { "is" } else { "are" },
        each.join("; "),
        match &view.record.origin {
            Some(origin) => format!(" More {} would narrow them.", origin.unit_of_repetition),
            None if view.record.header.intensity == "rigorous" => String::new(),
            None => " More processes narrow them: --standard, --rigorous.".into(),
        },
    );
    Finding::new(Rank::Spread, text)
}

/// Points whose variance lies between the draws of a process.
pub(super) fn between_draws(view: &View<'_>) -> Option<Finding> {
    /// More than all else together.
    const MOST: f64 = 0.5;
    /// Spread that is worth a cause.
    const SEEN: f64 = 0.03;
    let mut points: Vec<(f64, &PointSummary)> = view
        .summary
        .points
        .iter()
        .filter_map(|p| Some((p.variance.filter(|v| v.draw > MOST)?.draw, p)))
        .filter(|(_, p)| {
            p.value
                .as_ref()
                .and_then(relative)
                .is_some_and(|r| r > SEEN)
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    points.sort_by(|a, b| b.0.total_cmp(&a.0));
    let each: Vec<String> = points
        .iter()
        .map(|(share, p)| format!("{} ({})", p.point, percent(*share)))
        .collect();
    let text = format!(
        "In {} most of the variance lies between allocations of one process, as uneven page placement would make it: {}.",
        counted(points.len() as u64, "point", "points"),
        some(&each, 3, ", "),
    );
    Finding::new(Rank::Spread, text)
}

/// Samples that were left out for their marks; what ran with a busy SMT sibling has a finding of its own.
fn interrupted(point: &PointSummary) -> u32 {
    point.left_out - point.beside
}

/// Points that lost many samples to marks.
pub(super) fn left_out(view: &View<'_>) -> Option<Finding> {
    /// Share of a point's samples from which what is left may not be typical.
    const MANY: f64 = 0.25;
    let share = |p: &PointSummary| f64::from(interrupted(p)) / f64::from(p.samples.max(1));
    let mut points: Vec<&PointSummary> = view
        .summary
        .points
        .iter()
        .filter(|p| share(p) > MANY)
        .collect();
    if points.is_empty() {
        return None;
    }
    points.sort_by(|a, b| share(b).total_cmp(&share(a)));
    let each: Vec<String> = points
        .iter()
        .map(|p| format!("{} {} of {}", p.point, interrupted(p), p.samples))
        .collect();
    let text = format!(
        "{} lost over a quarter of the samples to interruptions: {}.",
        counted(points.len() as u64, "point", "points"),
        some(&each, 3, "; "),
    );
    Finding::new(Rank::Spread, text)
}

//! Which points a look at a comparison settles, while side B is still measured.
//!
//! A point is tested as in any comparison, together with all others: its p-value is the adjusted one, so that what a
//! look calls real is real in the comparison that follows. The bounds are those of [`whyslow_stats::sequential`].

use std::collections::{BTreeMap, BTreeSet};

use whyslow_model::comparison::{Comparison, PointComparison, Verdict};
use whyslow_model::{Point, Record};
use whyslow_stats::sequential::{self, Finding, InterimLook};
use whyslow_stats::student::quantile;
use whyslow_stats::welch::Welch;

use crate::Q;
use crate::side::Gathered;

/// What an adjusted p-value must not exceed to be real: less than [`Q`] where a side was measured by looks at the other.
pub(crate) fn level([a, b]: [&Gathered<'_>; 2]) -> f64 {
    let looked = |one: &Gathered<'_>, other: &Gathered<'_>| {
        let mut named = one.records.iter().map(|named| &named.record.header.against);
        named.any(|name| {
            !name.is_empty() && other.records.iter().any(|o| *name == known_as(o.record))
        })
    };
    match looked(a, b) || looked(b, a) {
        true => sequential::last_level(),
        false => Q,
    }
}

/// By what a record that is measured against this one names it: its hash, or its start where it has no end.
#[must_use]
pub fn known_as(record: &Record) -> String {
    let footer = record.footer.as_ref();
    footer.map_or_else(
        || record.header.started.clone(),
        |footer| footer.hash.clone(),
    )
}

/// Of the points `asked`, those that more units of B may still settle. `most` is how many units of B each may have.
pub fn open(
    found: &Comparison,
    asked: &BTreeSet<Point>,
    most: impl Fn(&Point) -> u32,
) -> BTreeSet<Point> {
    let mut parts: BTreeMap<&Point, Vec<&PointComparison>> = BTreeMap::new();
    for part in &found.points {
        parts.entry(&part.point).or_default().push(part);
    }
    // Without a value so far, a point may have one later. All parts of a point are measured by the same processes.
    let is_open = |point: &&Point| {
        let parts = parts.get(point);
        parts.is_none_or(|parts| {
            parts
                .iter()
                .any(|p| is_open(p, most(point), found.rules.margin))
        })
    };
    asked.iter().filter(is_open).cloned().collect()
}

fn is_open(part: &PointComparison, most: u32, margin: f64) -> bool {
    let units = part.b.units.len() as u32;
    let look = InterimLook { units, most };
    match &part.verdict {
        // Units of B change nothing: the sides measure other things, or A has a single value.
        Verdict::NotComparable { .. } => false,
        Verdict::Untested { .. } => units < 2,
        Verdict::Modes { .. } => part.p_adjusted.is_none_or(|p| p > look.level()),
        _ => match (welch(part), part.p_adjusted) {
            (Some(welch), Some(p)) => look.finding(&welch, p, margin) == Finding::Open,
            _ => true,
        },
    }
}

/// The test that the interval of a point rests on.
fn welch(part: &PointComparison) -> Option<Welch> {
    let ([lo, hi], df) = (part.range?, part.df?);
    let half = 0.5 * (hi / lo).ln();
    Some(Welch {
        log_ratio: 0.5 * (lo * hi).ln(),
        se: half / quantile(0.5 + 0.5 * part.coverage, df),
        df,
        p: part.p?,
    })
}

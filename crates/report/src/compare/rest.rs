//! What is not a real difference of values: modes, spread, the same, undecided, not compared.

use std::collections::BTreeMap;

use whyslow_compare::family;
use whyslow_model::comparison::{Comparison, PointComparison, SpreadLevel, Verdict};

use super::words;
use crate::numbers::{self, Scale, counted};
use crate::page::Screen;
use crate::text::{Style, TIE, Text};

/// Points that are listed before the rest is counted.
const LISTED: usize = 12;

/// Points whose modes may have come by chance as often as they did, listed before the rest is counted.
const BY_CHANCE: usize = 3;

/// The points in shared modes that are listed, real ones first, and how many more there are.
pub(crate) fn in_modes(comparison: &Comparison) -> (Vec<(&PointComparison, bool)>, usize) {
    let mut points: Vec<(&PointComparison, bool)> = comparison
        .points
        .iter()
        .filter_map(|p| match p.verdict {
            Verdict::Modes { real } => Some((p, real)),
            _ => None,
        })
        .collect();
    points.sort_by_key(|(_, real)| !real);
    let real = points.iter().filter(|(_, real)| *real).count();
    let more = (points.len() - real).saturating_sub(BY_CHANCE);
    points.truncate(real + BY_CHANCE);
    (points, more)
}

/// What is said of those that are not listed.
pub(crate) fn more_modes(more: usize) -> String {
    format!("and {more} more in which how often each came may be chance")
}

pub(crate) fn modes(comparison: &Comparison, page: &mut Screen) {
    let (points, more) = in_modes(comparison);
    if points.is_empty() {
        return;
    }
    let remark = format!(
        "the {} fall into groups that both sides share",
        comparison.scope.units
    );
    page.heading("MODES", &remark);
    for (point, real) in points {
        page.flow(2, 4, mode(point, real));
    }
    if more > 0 {
        page.flow(2, 2, Text::dim(more_modes(more)));
    }
}

/// `Mmap Latency  about 411 us: 2 of 3 in A, 0 of 3 in B; ...`.
pub(crate) fn mode(point: &PointComparison, real: bool) -> Text {
    let (a, b) = (point.a.units.len(), point.b.units.len());
    let modes: Vec<String> = point
        .modes
        .iter()
        .map(|mode| {
            let scale = Scale::of(point.unit, mode.value);
            let unit = point.symbol.as_deref().unwrap_or(scale.name);
            format!(
                "about {}{TIE}{unit}: {}{TIE}of{TIE}{a} in A, {}{TIE}of{TIE}{b} in B",
                numbers::number(mode.value / scale.by),
                mode.a,
                mode.b
            )
        })
        .collect();
    let verdict = if real {
        "how often each came really differs"
    } else {
        "how often each came may be chance"
    };
    Text::plain(words::name(point))
        .and(Style::Plain, format!("{}{}", words::GAP, modes.join("; ")))
        .and(Style::Dim, format!("; {verdict}"))
}

pub(crate) fn spread(comparison: &Comparison, page: &mut Screen) {
    let mut found: Vec<_> = comparison
        .points
        .iter()
        .flat_map(|p| p.spread.iter().map(move |s| (p, s)))
        .collect();
    if found.is_empty() {
        return;
    }
    found.sort_by(|(_, x), (_, y)| (y.b / y.a).ln().abs().total_cmp(&(x.b / x.a).ln().abs()));
    page.heading(
        "SPREAD",
        "levels at which one side varies more, whatever its values",
    );
    for (point, spread) in found.iter().take(LISTED) {
        let level = match spread.level {
            SpreadLevel::Unit => format!("between {}", comparison.scope.units),
            SpreadLevel::Draw => "between allocations (page placement)".into(),
            SpreadLevel::Sample => "between batches of one allocation".into(),
        };
        let text = Text::plain(words::name(point)).and(
            Style::Dim,
            format!(
                "{}{} in A, {} in B {level}",
                words::GAP,
                numbers::percent(spread.a),
                numbers::percent(spread.b)
            ),
        );
        page.flow(2, 4, text);
    }
    more(found.len(), page);
}

pub(crate) fn same(comparison: &Comparison, page: &mut Screen) {
    let same = by_family(comparison, |v| *v == Verdict::Same);
    if same.is_empty() {
        return;
    }
    let margin = words::share(comparison.rules.margin);
    page.heading("THE SAME", &format!("shown to be within ±{margin}"));
    let columns = same.iter().map(|(name, _)| name.chars().count()).max();
    for (name, points) in same {
        let largest = points
            .iter()
            .filter_map(|p| p.ratio)
            .fold(1.0_f64, |most, r| {
                if r.ln().abs() > most.ln().abs() {
                    r
                } else {
                    most
                }
            });
        let text = Text::plain(counted(points.len() as u64, "point", "points"))
            .and(Style::Dim, format!(", largest {}", words::ratio(largest)));
        page.field(2, columns.unwrap_or(0) + 1, name, text);
    }
}

pub(crate) fn undecided(comparison: &Comparison, page: &mut Screen) {
    let open = by_family(comparison, |v| matches!(v, Verdict::Undecided { .. }));
    if open.is_empty() {
        return;
    }
    page.heading(
        "UNDECIDED",
        &format!(
            "neither shown to differ nor to be the same; with more {} a side",
            comparison.scope.units
        ),
    );
    let columns = open.iter().map(|(name, _)| name.chars().count()).max();
    for (name, points) in open {
        // More processes of the same runs do not settle what drifts between runs.
        let by_runs = |p: &&&PointComparison| needs(p).is_none() && p.between_runs.is_some();
        let runs = points.iter().filter(by_runs).count();
        let others = points.iter().filter(|p| !by_runs(p));
        let mut needed: Vec<Option<u32>> = others.map(|p| needs(p)).collect();
        needed.sort_unstable_by_key(|n| n.unwrap_or(u32::MAX));
        let word = |n: &Option<u32>| {
            n.map_or("more than 100,000".to_owned(), |n| numbers::count(n.into()))
        };
        let mut text = match (needed.first(), needed.last()) {
            (Some(least), Some(most)) if least != most => {
                format!("about {} to {} more", word(least), word(most))
            }
            (Some(only), _) => format!("about {} more", word(only)),
            _ => String::new(),
        };
        if runs > 0 {
            let these = match needed.len() {
                0 => String::new(),
                _ => format!("; {} of them", numbers::count(runs as u64)),
            };
            text = format!("{text}{these} only by more runs a side");
        }
        let text = Text::plain(counted(points.len() as u64, "point", "points"))
            .and(Style::Plain, format!(", {text}"));
        page.field(2, columns.unwrap_or(0) + 1, name, text);
        nearest(&points, page);
    }
}

/// The points of a family that would be settled first, three of them.
fn nearest(points: &[&PointComparison], page: &mut Screen) {
    const FEW: usize = 3;
    let mut points = points.to_vec();
    points.sort_by_key(|p| needs(p).unwrap_or(u32::MAX));
    for point in points.iter().take(FEW) {
        let (Some(ratio), Some(range)) = (point.ratio, point.range) else {
            continue;
        };
        let more = needs(point).map_or(String::new(), |n| {
            format!(", {} more", numbers::count(n.into()))
        });
        let text = Text::dim(words::name(point)).and(
            Style::Dim,
            format!(
                "{}{} {}{more}",
                words::GAP,
                words::ratio(ratio),
                words::range(ratio, range)
            ),
        );
        page.flow(4, 6, text);
    }
}

fn needs(point: &PointComparison) -> Option<u32> {
    match point.verdict {
        Verdict::Undecided { more } => more,
        _ => None,
    }
}

pub(crate) fn not_compared(comparison: &Comparison, page: &mut Screen) {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let untested = comparison.rules.tested > 0;
    for point in &comparison.points {
        match &point.verdict {
            Verdict::NotComparable { why } => {
                reasons.entry(why).or_default().push(words::name(point))
            }
            Verdict::Untested { why } if untested => {
                reasons.entry(why).or_default().push(words::name(point));
            }
            _ => {}
        }
    }
    let mut lacking: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for missing in &comparison.missing {
        let why = missing
            .why
            .as_ref()
            .map_or(String::new(), |why| format!(", {why}"));
        let side = match missing.lacks.as_str() {
            "A and B" => "neither side".to_owned(),
            one => format!("not in {one}"),
        };
        let names = lacking.entry(side + &why);
        let name = missing.title.clone();
        names
            .or_default()
            .push(name.unwrap_or_else(|| missing.point.to_string()));
    }
    if reasons.is_empty() && lacking.is_empty() {
        return;
    }
    page.heading("NOT COMPARED", "");
    for (why, names) in reasons {
        page.flow(
            2,
            4,
            Text::plain(format!("{why}: ")).and(Style::Dim, listed(&names)),
        );
    }
    for (why, names) in lacking {
        page.flow(
            2,
            4,
            Text::plain(format!("{why}: ")).and(Style::Dim, listed(&names)),
        );
    }
}

/// Some names and how many more.
fn listed(names: &[String]) -> String {
    const FEW: usize = 6;
    let text = names
        .iter()
        .take(FEW)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(FEW) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

fn more(count: usize, page: &mut Screen) {
    if count > LISTED {
        page.flow(2, 2, Text::dim(format!("and {} more", count - LISTED)));
    }
}

/// Points with a verdict by family, in the order of the record.
pub(crate) fn by_family(
    comparison: &Comparison,
    wanted: impl Fn(&Verdict) -> bool,
) -> Vec<(&str, Vec<&PointComparison>)> {
    let mut families: Vec<(&str, Vec<&PointComparison>)> = Vec::new();
    for point in comparison.points.iter().filter(|p| wanted(&p.verdict)) {
        let name = family(&point.point);
        match families.iter_mut().find(|(n, _)| *n == name) {
            Some((_, points)) => points.push(point),
            None => families.push((name, vec![point])),
        }
    }
    families
}
